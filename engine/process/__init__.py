"""The operating system: spawning, terminals, reading, writing, process trees, signals, identity."""
