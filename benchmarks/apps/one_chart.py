"""A bare Streamlit page with one Plotly chart."""

import plotly.graph_objects as go
import streamlit as st

st.plotly_chart(go.Figure(go.Heatmap(z=[[1, 2], [3, 4]], text=[[1, 2], [3, 4]], texttemplate="%{text}")))
