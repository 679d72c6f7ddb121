"""Jobs on other machines and in containers: what goes before a command, and what becomes of it there (spec 4.7)."""
