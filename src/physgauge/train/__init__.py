"""Training of the models that physgauge ships (extra: train): the only use of torch and scikit-learn."""
