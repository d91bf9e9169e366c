"""The course: what lessons are made of."""
