"""Fit a detector's rescorer: is a candidate part right, in view of the others (ensemble/rescore.py)?"""
