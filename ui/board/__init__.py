"""The matrices on the board: which, which cells, which differ."""
