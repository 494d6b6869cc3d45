"""Where files lie: local disk, S3, Google Cloud Storage, Azure, memory; one interface (`store.py`)."""

from physgauge.clients.storage.address import is_remote, locate, open_store
from physgauge.clients.storage.store import Listed, Missing, Store

__all__ = ["Listed", "Missing", "Store", "is_remote", "locate", "open_store"]
