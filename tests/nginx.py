"""The nginx that stands in front of the replicas: `python -m tests.nginx` (as `make test` does) gets one.

Where that cannot be done, the tests of the proxy are left out and say so; in CI they fail.
"""

import os
from pathlib import Path

import pytest

from deploy import classroom
from tests import debian

PACKAGE = "nginx-light"


def ensure():
    """Path of nginx, installed now if there was none, or None."""
    starts_services = Path("/run/systemd/system").exists()  # Debian starts what it installs
    if classroom.nginx() is None and (os.environ.get("CI") or not starts_services):
        debian.install("nginx for the tests of a class", [PACKAGE])
    return classroom.nginx()


def require():
    """Ends a test that cannot be run."""
    if classroom.nginx() is None:
        reason = f"nginx is not installed: {classroom.NGINX_IS_MISSING.splitlines()[1].strip()}"
        (pytest.fail if os.environ.get("CI") else pytest.skip)(reason)


def main():
    path = ensure()
    print(f"nginx: {path}" if path else "nginx: none; the tests that need it will be left out.")


if __name__ == "__main__":
    main()
