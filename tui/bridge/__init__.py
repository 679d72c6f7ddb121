"""Between the engine's thread and the screen: the only room of the console that knows a thread."""
