"""What is around a subject, and scenes without one."""
