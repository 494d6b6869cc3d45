"""The judge: PCMDE's reasoning step (and, in time, the multimodal look at the image)."""
