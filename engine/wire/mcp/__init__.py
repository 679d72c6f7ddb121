"""jobdeck as a tool server of coding agents: the Model Context Protocol over stdio (spec 4.5)."""
