"""Fixtures that several test files share."""

import os

import pytest
from hypothesis import settings

from .learner import Learner
from .student import Student

# A busy machine is slow, not wrong: how long an example takes is no test. The same examples every time: what is red
# is red for everyone. `make mutations` goes on with new ones.
settings.register_profile("qkv", deadline=None, derandomize=True, max_examples=60)
settings.load_profile("qkv")


def pytest_xdist_auto_num_workers():
    """One for each core, but no more than are of use: the longest files decide."""
    return min(6, os.cpu_count() or 1)


@pytest.fixture
def learner():
    """Makes a learner: learner("pixels_2x2")."""
    return Learner


@pytest.fixture
def student():
    """Makes a student: student("projection")."""
    return Student
