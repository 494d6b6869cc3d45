"""The stages: decode, detect, fuse, rules, reason, aggregate. Read `pipeline.py` first."""
