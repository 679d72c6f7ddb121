"""What is waited for: a job, a process, a time (spec 2.7)."""
