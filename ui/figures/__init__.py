"""Plotly figures, made in Python from structure alone; numbers by reference. In a notebook: `figure`."""

from ui.figures.notebook import figure

__all__ = ["figure"]
