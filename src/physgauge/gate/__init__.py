"""The gate: which images pass, by their rows (docs/gate.md). `rule.py` decides; the command, the client
and (with its bounds) the judge ask it."""
