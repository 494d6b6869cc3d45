"""A transformers model that answers all questions about an image in one forward pass (docs/onepass.md)."""
