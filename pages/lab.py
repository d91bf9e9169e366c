"""The Lab: change any number, walk the steps, open any cell."""

from ui.page.lab import LAB
from ui.streamlit.page import show
from ui.streamlit.panels import lab_panel

show(LAB, "lab.title", lab_panel)
