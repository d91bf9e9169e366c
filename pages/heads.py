"""Heads: what the heads of a trained model do with a sentence of one's own."""

from ui.page.heads import HEADS
from ui.streamlit.page import show

show(HEADS, "heads.title")
