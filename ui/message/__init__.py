"""What the browser gets: its types, and the one function that assembles it."""
