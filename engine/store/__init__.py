"""Where state lives on disk."""
