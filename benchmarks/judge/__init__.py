"""The judge: the published call pattern, separate prompts in vLLM, and one pass (docs/onepass.md)."""
