"""What is waited for and what has happened, as the console knows it: fed by the engine's events, shown by widgets."""
