"""The public face: the engine as a thread, and the interface that every front end uses."""
