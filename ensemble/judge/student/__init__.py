"""The student: a judge that is a small network of its own, and no language model (docs/student.md)."""
