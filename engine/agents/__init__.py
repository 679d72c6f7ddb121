"""Programs that do tasks: one in the background, or several as a batch with one completion (spec 4.6)."""
