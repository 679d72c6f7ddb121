"""Objectives with a loop: step, judge, and the barrier that parks them (spec 2.7)."""
