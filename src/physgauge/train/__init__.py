"""Training of the models that physgauge ships (extra: train); only here are torch and scikit-learn used."""
