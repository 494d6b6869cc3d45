"""Benchmarks of the real server. Read `__main__.py` first."""
