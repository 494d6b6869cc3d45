"""The streaming client: images to a server, rows back (docs/client.md). Read `client.py` first, then
`delivery.py`: the life of one input.

    images ─ run ─ delivery ─ dispatch ─ connection ─ server
             │      │          └ window, endpoint: how much, where
             │      └ backoff: when again
             └ inputs, encode: what is sent
"""
