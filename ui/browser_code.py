"""Components whose script is a file in static/, so that a run sends only data."""

import hashlib
from pathlib import Path

import streamlit as st

STATIC = Path(__file__).parent.parent / "static"


def component(name: str, script: str, function: str, *, with_files: tuple[str, ...] = (), **options):
    """A component that calls `function` of static/`script`; its address changes with it and `with_files`."""
    code = b"".join((STATIC / file).read_bytes() for file in (script, *with_files))
    version = hashlib.sha256(code).hexdigest()[:12]
    loader = f"""
export default async function (component) {{
  const {{ {function} }} = await import(new URL("app/static/{script}?v={version}", document.baseURI));
  await {function}(component);
}}
"""
    return st.components.v2.component(name, js=loader, **options)
