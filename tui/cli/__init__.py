"""The command line: a small module a verb; imports no textual."""
