"""Plotly figures, made in Python."""
