"""Holding a judge against pictures of known truth: minimal pairs, and words painted into them
(docs/selftest.md)."""
