"""The one component of every page. Its scripts are files in static/, so that a run sends only data."""

import hashlib
from functools import cache

import streamlit as st
from streamlit.components.v2 import component

from ui.paths import STATIC

KEY = "qkv_{page}"


@cache
def workbench():
    """Mounts `paint` of static/workbench.js.

    The address of every file carries one version, so that no browser mixes old files with new ones.
    """
    own = sorted(
        path for path in STATIC.rglob("*") if path.suffix in (".js", ".css") and "plotly" not in path.name
    )
    version = hashlib.sha256(b"".join(path.read_bytes() for path in own)).hexdigest()[:12]
    loader = f"""
export default async function (component) {{
  const {{ paint }} = await import(new URL("app/static/workbench.js?v={version}", document.baseURI));
  return paint(component);
}}
"""
    return component("qkv_workbench", js=loader, isolate_styles=False)


def mount(page: str, data: dict) -> None:
    """Draws the workbench of a page with what the browser gets."""
    workbench()(key=KEY.format(page=page), data=data, on_request_change=lambda: None)


def reported(page: str) -> object:
    """What the browser asks for; nothing where this session has not shown the page yet."""
    return st.session_state.get(KEY.format(page=page), {}).get("request")
