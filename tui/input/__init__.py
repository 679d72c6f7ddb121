"""What comes from the host terminal's keyboard and mouse, and what a job gets of it. No widget lives here."""
