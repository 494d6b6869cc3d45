"""The pixel policy: encoded bytes to the one RGB array that every model sees. Read `policy.py` first.

Nothing here starts a process; :mod:`physgauge.ensemble.sandbox` runs it where it can be killed. Only
`policy.py` and `colour.py` import Pillow, so the parent of the sandbox never loads it.
"""
