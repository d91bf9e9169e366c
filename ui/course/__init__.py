"""The course: what its lessons are made of."""
