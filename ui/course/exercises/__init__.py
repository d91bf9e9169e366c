"""Exercises drawn from a seed, and how answers are graded."""
