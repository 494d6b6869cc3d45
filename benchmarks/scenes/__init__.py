"""Images of aircraft, cars, animals and of none of them, rendered with exact ground truth.

``python -m benchmarks.scenes make --domain all --count N --seed S --out DIR``; see docs/scenes.md.
MuJoCo picks its OpenGL platform when it is first imported, so the choice is made here.
"""

from __future__ import annotations

import os

os.environ.setdefault("MUJOCO_GL", "osmesa")
os.environ.setdefault("PYOPENGL_PLATFORM", os.environ["MUJOCO_GL"])
