"""The inside of a holder: the job's child, its log, and what it says to an engine. Standard library only, and lean."""
