"""How things are shown: states as glyphs and words, times, text from strangers made safe."""
