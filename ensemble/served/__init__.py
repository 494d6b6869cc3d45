"""The stages as steps of a server: what one process of it loads and does. Read `steps.py` first."""
