"""Captions to facts: which type, how many parts, where. Read `parser.py` first.

``tokens -> subjects -> parts (quantity, relations) -> CaptionFacts``: each step is one module; `words.py`
holds the closed word lists, `lexicon.py` the names of the specifications.
"""
