"""The engine over a socket: JSON-RPC 2.0, a message a line (spec 4.2)."""
