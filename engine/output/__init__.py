"""A job's output: the buffer, positions, decoding, viewers, cleaning for verbs."""
