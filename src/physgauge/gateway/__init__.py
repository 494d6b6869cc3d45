"""The streaming front for generation clusters, and the only part that faces callers we don't trust.

Read `session.py` first: it is one stream, from the images that come in to the answers that go out.
`checks.py` is what an image must pass before the server behind sees it, `places.py` who may have how
much in hand, `server.py` how it all is put together. The protocol: `physgauge/v1/gateway.proto`; how
to run it: docs/gateway.md.
"""
