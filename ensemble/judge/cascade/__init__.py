"""Two judges, one after the other: the second is asked where the first is unsure (docs/cascade.md)."""
