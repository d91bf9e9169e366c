"""What stands between the mathematics and a page: scenarios, words, the board, the frame."""
