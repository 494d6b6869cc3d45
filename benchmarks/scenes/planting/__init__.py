"""Planted violations and the proof that they can be seen."""
