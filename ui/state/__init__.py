"""The state of a page and what each act makes of it; nothing here knows Streamlit."""
