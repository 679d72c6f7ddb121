"""The engine over a socket: JSON-RPC 2.0, a message a line (spec 4.2)."""

VERSION = 1
"""Of what is said over it; both ends have the same."""
