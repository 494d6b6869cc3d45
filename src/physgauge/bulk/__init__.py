"""Bulk runs: a plan of units, workers that score them, and a folder in which every input has one row."""
