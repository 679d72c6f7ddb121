"""Job files of other programs, read into jobdeck's own: what runs is the same, what can't be is listed."""
