"""Violations: each module registers some with :func:`benchmarks.scenes.pairs.registry.recipe`."""
