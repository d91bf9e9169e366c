"""What stands between the network and Streamlit; nothing here knows what a page shows."""
