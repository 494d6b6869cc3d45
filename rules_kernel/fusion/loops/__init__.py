"""The loops of the fusion kernels, as plain Python that Numba can compile (`fusion.compiled` does).

An image's boxes are packed rows low:high; an item is a row's distance from low. Functions call each other
by bare names, which are those of one flat module once they are compiled: no name may be used twice.
"""
