"""The boundary to Streamlit: pages, panels, the component, and every private surface in use."""
