"""Notices on their way to owners: kept until taken, handed out on proof, told exactly once (spec 2.2)."""
