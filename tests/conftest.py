"""Fixtures that several test files share."""

import pytest
from hypothesis import settings

from .learner import Learner
from .student import Student

# A busy machine is slow, not wrong: how long an example takes is no test.
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")


@pytest.fixture
def learner():
    """Makes a learner: learner("pixels_2x2")."""
    return Learner


@pytest.fixture
def student():
    """Makes a student: student("projection")."""
    return Student
