"""The 2x2-pixel example as most people would write it: a data_editor and one chart per matrix."""

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from attention_core import multi_head_attention
from ui.scenario.presets import load_preset

arrays = load_preset("pixels_2x2").arrays
st.session_state.setdefault("count", 0)
if st.button("count"):
    st.session_state["count"] += 1
x = np.array(arrays["x"], dtype=float)
x[0, 0] = st.session_state["count"]
edited = st.data_editor(pd.DataFrame(x), key=f"editor_{st.session_state['count']}")
trace = multi_head_attention(edited.to_numpy(), arrays["w_q"], arrays["w_k"], arrays["w_v"], n_heads=1)
for name in ("q", "k", "v", "q_heads", "k_heads", "v_heads", "scores", "scaled", "weights", "head_outputs"):
    matrix = trace[name].reshape(trace[name].shape[-2:])
    figure = go.Figure(go.Heatmap(z=matrix, text=matrix.round(2), texttemplate="%{text}"))
    st.plotly_chart(figure, key=name)
st.text(f"count {st.session_state['count']} output {trace.output[0, 0]:.6f}")
