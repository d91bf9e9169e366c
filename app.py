"""Home: the 2x2-pixel example, computed live, every number open to its arithmetic; and the course."""

from ui.page.home import HOME
from ui.streamlit.page import show

show(HOME, "home.title")
