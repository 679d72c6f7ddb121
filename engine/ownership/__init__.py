"""What makes jobs die with their owner."""
