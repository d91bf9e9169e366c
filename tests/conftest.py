"""Fixtures that several test files share."""

import types

import pytest
from hypothesis import settings

from ui.predict import guesses
from ui.state import session

from .learner import Learner
from .student import Student

# A busy machine is slow, not wrong: how long an example takes is no test.
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")


def plain_streamlit():
    """Streamlit's session and address bar as plain dictionaries."""
    return types.SimpleNamespace(
        session_state={}, query_params={}, context=types.SimpleNamespace(locale="en-US")
    )


@pytest.fixture
def learner(monkeypatch):
    """Makes a learner: learner("pixels_2x2"). Streamlit's session and address bar are plain dictionaries."""
    streamlit = plain_streamlit()
    for module in (session, guesses):
        monkeypatch.setattr(module, "st", streamlit)
    return Learner


@pytest.fixture
def student(monkeypatch):
    """Makes a student: student("projection")."""
    monkeypatch.setattr(session, "st", plain_streamlit())
    return Student
