"""PCMDE's reasoning step by a language model (docs/pcmde_language.md). Read `reasoner.py` first."""
