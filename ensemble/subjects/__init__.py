"""Several subjects in one picture: which parts belong to which (docs/subjects.md)."""
