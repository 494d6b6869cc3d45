"""Two runs compared: `load.py` reads what counts of each, `compare.py` tests, `result.py` is what comes
of it (docs/diff.md)."""
