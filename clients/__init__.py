"""Clients: they see only wire types, errors and settings."""
