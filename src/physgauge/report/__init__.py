"""What people read: the run summary and annotated pictures."""
