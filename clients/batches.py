"""Arrow batches of any schema to a Parquet file."""

from __future__ import annotations

from collections.abc import Iterable
from typing import IO, Any

from physgauge.clients.table import arrow


def write_batches(
    file: IO[bytes], schema: Any, batches: Iterable[Any], per_group: int = 65_536
) -> int:
    """Write batches into an open file, page checksums on; returns the number of lines.

    Args:
        file: to write to; it stays open.
        schema: of the batches, Arrow's.
        batches: Arrow's, some lines each.
        per_group: lines kept in memory before they are written.
    """
    pa = arrow()
    lines = 0
    with pa.parquet.ParquetWriter(
        file, schema, compression="zstd", write_page_checksum=True
    ) as writer:
        pending: list[Any] = []
        held = 0
        for batch in batches:
            pending.append(batch)
            held += batch.num_rows
            lines += batch.num_rows
            if held >= per_group:
                writer.write_table(pa.Table.from_batches(pending, schema))
                pending, held = [], 0
        if pending:
            writer.write_table(pa.Table.from_batches(pending, schema))
    return lines
