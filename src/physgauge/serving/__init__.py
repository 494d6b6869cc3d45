"""The local server: finds tritonserver in its wheel, starts it, watches it. Read `supervise.py` first."""
