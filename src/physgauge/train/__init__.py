"""Training of the models that physgauge ships (extra: train). The only package that imports torch or scikit-learn."""
