"""Jobs by id, their state machine, and the verbs on them, a family a module."""
