"""Front ends for people: the console and the command line."""
