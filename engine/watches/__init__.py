"""What is looked for in a job's output while it comes, and how often that may be told (spec 2.4 to 2.6)."""
