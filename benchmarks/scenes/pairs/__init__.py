"""Minimal pairs: the same world with and without one planted violation of a TerraVis category."""
