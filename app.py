"""Home: a sentence, where each of its words looks, every number of it open to its arithmetic; and the course."""

from ui.page.home import HOME
from ui.streamlit.page import show

show(HOME, "home.title")
