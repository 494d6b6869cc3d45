"""PCMDE's observations: a multimodal model names the parts it sees (docs/pcmde_language.md)."""
