"""The mathematics and the machinery of the lessons."""
