"""The Lab: choose an example, see every step, open any number."""

import streamlit as st

from attention_core import AttentionError
from ui import frame
from ui.presets import load_preset, preset_ids

words = frame.begin("lab")
st.page_link(frame.PAGES["home"], label=words("lab.to_home"), icon=":material/home:")
st.title(words("lab.title"), anchor=False)
preset = st.selectbox(
    words("lab.preset"), preset_ids(), format_func=lambda preset_id: words(f"preset.{preset_id}.title")
)
st.markdown(words(f"preset.{preset}.about"))
scenario = load_preset(preset)
try:
    trace = scenario.trace()
except AttentionError as error:
    frame.say_error(error, words)
    st.stop()
frame.explorable_trace(f"lab_{preset}", trace, scenario, words)
