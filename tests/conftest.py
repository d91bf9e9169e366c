"""Fixtures that several test files share."""

import types

import pytest

from ui import guesses, session

from .learner import Learner


@pytest.fixture
def learner(monkeypatch):
    """Makes a learner: learner("pixels_2x2"). Streamlit's session and address bar are plain dictionaries."""
    streamlit = types.SimpleNamespace(session_state={}, query_params={})
    for module in (session, guesses):
        monkeypatch.setattr(module, "st", streamlit)
    return Learner
