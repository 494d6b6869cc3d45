"""Attempts to talk a judge into something, and how far they get (docs/terravis.md)."""
