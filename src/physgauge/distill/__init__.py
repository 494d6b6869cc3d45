"""A student trained on another judge's stored answers (docs/student.md): `physgauge distill`."""
