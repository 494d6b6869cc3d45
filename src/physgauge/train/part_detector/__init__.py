"""The embedded part detector: data, network, training, calibration, export.

``python -m physgauge.train.part_detector train|evaluate|export --help``. Read `loop.py` first. The
modules `metrics`, `records` and `negatives` need numpy only; the others need torch.
"""
