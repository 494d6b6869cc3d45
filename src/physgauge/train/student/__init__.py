"""Trains the student judge: a small network that looks once and answers all of TerraVis' probes
(docs/student.md).

Stages: pair sets -> cached pixels and targets (`records`, `cache`) -> views (`augment`) -> batches with
both twins (`draws`) -> loss (`loss`) -> `loop`; then `calibrate`, `known`, `export`, `card`.
"""
