"""Type specifications: what a DC-10, a coupe or a chicken has. Read `load.py` first.

The shipped files lie here, one TOML file a domain; their format is in docs/specifications.md.
"""
