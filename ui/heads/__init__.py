"""The page of heads: what every head of a trained model does with a sentence, measured and compared."""
