"""Jobs of the configuration file, kept as it says: started with jobdeck, after one another, and again when they end."""
