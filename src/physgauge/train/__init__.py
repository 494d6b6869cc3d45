"""Training of the models that physgauge ships. The only package that imports torch (extra: train)."""
