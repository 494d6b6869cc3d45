"""Decoding in worker processes that can be killed. Read `lanes.py` first.

One lane is a thread of this process, a worker process, and an arena of memory that both map. Encoded
bytes go in and pixels come back through the arena; a socket carries short messages. The arena is an
anonymous file (memfd), so nothing is left in /dev/shm whatever dies.
"""
