"""Comparing what judges say: rows in, statistics out."""
