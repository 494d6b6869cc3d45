"""Scratch room of the loops, for an image of up to n boxes and L labels: where is what.

`start` i64[L + 2]; `whole` i64[WHOLE, n]; `keys` f64[KEYS, n]; `clusters` f64[n, FIELDS]: what is read
together lies together.
"""

from __future__ import annotations

X0, Y0, X1, Y1, AREA, SX0, SY0, SX1, SY1, SURE, WEIGHT, UNIQUE, COUNT, TOP, LABEL = range(15)
"""Fields of a cluster: its box, its area; the sums over its members of the weighted scores times x0, y0,
x1, y1, of the weighted scores, and of the weights; the weights of its sources, each counted once; the
number of members; the highest weighted score; the label. Of a kept box: the first five."""
FIELDS = 16
"""Two cache lines a cluster."""

KEY, SCORE = range(2)
"""Rows of `keys`: what items are sorted by; a cluster's own score."""
KEYS = 2

ORDER, SPARE, MASK, HEAD, NEXT, BACK, CELL = range(7)
"""Rows of `whole`: items, then clusters, in order; room to sort; the set of a cluster's sources, one bit
each; of a grid's cell its first cluster, of a cluster the next and the last one in its cell (-1: none),
and its cell (-1: in none)."""
WHOLE = 7
