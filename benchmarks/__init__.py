"""Benchmarks: each module runs as `python -m benchmarks.NAME`; its last line is `RESULT {json}`."""
