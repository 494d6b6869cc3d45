"""Meshes, subjects made of them, the camera, silhouettes."""
