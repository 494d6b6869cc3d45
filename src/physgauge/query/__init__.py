"""SQL over a run's rows: `duck.py` opens them in DuckDB, read-only and shut in; `views.py` is what one
can ask; `output.py` is what comes out (docs/bulk.md)."""
