"""Components whose scripts are files in static/, so that a run sends only data."""

import hashlib

import streamlit as st

from ui.paths import STATIC


def component(name: str, script: str, function: str):
    """A component that calls `function` of a script.

    The address of every file carries one version, so that no browser mixes old files with new ones.
    """
    own = sorted(
        path for path in STATIC.iterdir() if path.suffix in (".js", ".css") and "plotly" not in path.name
    )
    version = hashlib.sha256(b"".join(path.read_bytes() for path in own)).hexdigest()[:12]
    loader = f"""
export default async function (component) {{
  const {{ {function} }} = await import(new URL("app/static/{script}?v={version}", document.baseURI));
  return {function}(component);
}}
"""
    return st.components.v2.component(name, js=loader, isolate_styles=False)
