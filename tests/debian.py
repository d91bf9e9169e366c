"""What tests need besides Python, from Debian's packages, where root is at work: in a container, in CI."""

import os
import shutil
import subprocess
import sys
from pathlib import Path


def install(what, packages):
    """Installs packages where that can be done; whether it was."""
    if not (is_debian() and is_root() and shutil.which("apt-get")):
        return False
    print(f"Installing {what}; this is done once.", flush=True)
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    update = ["apt-get", "update", "-qq"]
    get = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *packages]
    return all(succeeds(command, env=quiet) for command in (update, get))


def succeeds(command, **options):
    # Standard output is the answer of the script that asks; what an installer says goes to standard error.
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=sys.stderr, **options).returncode == 0


def is_root():
    return hasattr(os, "geteuid") and os.geteuid() == 0


def is_debian(os_release=Path("/etc/os-release")):
    # Not Ubuntu: its chromium package is an empty one that points at a snap.
    if not os_release.exists():
        return False
    lines = (line.partition("=") for line in os_release.read_text(encoding="utf-8").splitlines())
    facts = {key: value.strip("\"'") for key, _, value in lines}
    names = {facts.get("ID"), *facts.get("ID_LIKE", "").split()}
    return "debian" in names and "ubuntu" not in names
