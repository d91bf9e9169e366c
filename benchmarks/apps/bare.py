"""The least a Streamlit page can be: one button, one text."""

import streamlit as st

st.session_state.setdefault("count", 0)
if st.button("count"):
    st.session_state["count"] += 1
st.text(f"count {st.session_state['count']}")
