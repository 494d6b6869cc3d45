"""Watching a long run: what its parts tell (`events`), what they add up to (`tally`), and who is told.

Sees wire types, errors, settings and `physgauge.clients` only: `physgauge status` works where no
model does.
"""
