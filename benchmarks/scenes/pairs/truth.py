"""The truth table of a set of pairs; docs/pairs.md says what its columns mean."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any


@lru_cache(maxsize=1)
def schema() -> Any:
    """The truth table's columns."""
    import pyarrow as pa

    text, flag, i32, f32 = pa.string(), pa.bool_(), pa.int32(), pa.float32()
    return pa.schema(
        [
            ("image_id", text),
            ("file", text),
            ("index", pa.int64()),
            ("seed", pa.int64()),
            ("width", i32),
            ("height", i32),
            ("pair", pa.int64()),
            ("twin", text),
            ("base", text),
            ("recipe", text),
            ("category", text),
            ("pair_category", text),
            ("severity", text),
            ("pair_severity", text),
            ("eligible", flag),
            ("family", text),
            ("style", text),
            ("split", text),
            ("novel_base", flag),
            ("novel_recipe", flag),
            ("detail", text),
            ("x0", f32),
            ("y0", f32),
            ("x1", f32),
            ("y1", f32),
            ("mask", pa.binary()),
        ]
    )


def write_truth(rows: list[dict[str, Any]], path: Path) -> None:
    """Writes the table; what a row lacks is null."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.Table.from_pylist(rows, schema=schema()), path, compression="zstd")
