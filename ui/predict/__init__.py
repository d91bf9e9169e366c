"""Predictions: judged, with usual mistakes named."""
