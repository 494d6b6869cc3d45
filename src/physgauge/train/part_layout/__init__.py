"""Fit the layout models: how the parts of pictures without fault are arranged (docs/layout.md)."""
