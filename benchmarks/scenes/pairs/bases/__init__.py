"""Base scenes: each module registers some with :func:`benchmarks.scenes.pairs.registry.base`."""
