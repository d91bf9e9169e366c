"""Components whose scripts are files in static/, so that a run sends only data."""

import hashlib
from pathlib import Path

import streamlit as st

STATIC = Path(__file__).parent.parent / "static"


def component(name: str, scripts: tuple[str, ...], styles: tuple[str, ...], function: str):
    """A component that calls `function` of the first of `scripts`.

    The address of every file carries one version, so that no browser mixes old files with new ones.
    """
    code = b"".join((STATIC / file).read_bytes() for file in (*scripts, *styles))
    version = hashlib.sha256(code).hexdigest()[:12]
    loader = f"""
export default async function (component) {{
  const {{ {function} }} = await import(new URL("app/static/{scripts[0]}?v={version}", document.baseURI));
  return {function}(component);
}}
"""
    return st.components.v2.component(name, js=loader, isolate_styles=False)
