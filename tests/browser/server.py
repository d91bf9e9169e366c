"""The app as a learner meets it: `streamlit run server.py` in a process of its own."""

import http.client
import os
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
SECONDS_TO_START = 60


@dataclass(eq=False)
class AppServer:
    """A running app: its address, and everything it has written so far."""

    port: int
    log_path: Path
    home: Path
    script: str = "server.py"
    options: tuple[str, ...] = ()
    process: subprocess.Popen | None = None
    is_shared: bool = False  # by many tests
    is_real: bool = True  # Streamlit's, with motion

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    @property
    def log(self):
        return self.log_path.read_text(encoding="utf-8", errors="replace")

    def start(self):
        with self.log_path.open("ab") as log:
            self.process = subprocess.Popen(
                [
                    *(sys.executable, "-m", "streamlit", "run", self.script),
                    f"--server.port={self.port}",
                    "--server.address=127.0.0.1",
                    "--server.headless=true",
                    "--server.fileWatcherType=none",
                    *self.options,
                ],
                cwd=ROOT,
                # A new home, so that nobody's own Streamlit settings change what is tested.
                env={**os.environ, "HOME": str(self.home), "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        _wait_until_healthy(self.process, self.port, self)

    def stop(self):
        _stop(self.process)

    def restart(self):
        """Ends the process at once, as a fault would, and starts another at the same address."""
        self.process.kill()
        self.process.wait()
        self.start()


@contextmanager
def serve(folder, script="server.py", options=()):
    """Run the app, or another script, until the block ends; `folder` becomes its home and keeps its log."""
    port = _free_port()
    server = AppServer(port, folder / f"streamlit-{port}.log", folder, script, tuple(options))
    try:
        server.start()
        yield server
    finally:
        server.stop()


@contextmanager
def serve_class(folder, replicas, options=()):
    """Replicas of the app behind nginx, as `make class` runs them, until the block ends."""
    port = _free_port()
    server = AppServer(port, folder / f"class-{port}.log", folder)
    command = [sys.executable, "deploy/classroom.py", f"--replicas={replicas}", f"--port={port}"]
    with server.log_path.open("ab") as log:
        server.process = subprocess.Popen(
            [*command, "--host=127.0.0.1", *options],
            cwd=ROOT,
            env={**os.environ, "HOME": str(folder), "PYTHONUNBUFFERED": "1"},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
    try:
        _wait_until_healthy(server.process, port, server)
        yield server
    finally:
        server.stop()


def _free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _wait_until_healthy(process, port, server):
    deadline = time.monotonic() + SECONDS_TO_START
    while not _is_healthy(port):
        if process.poll() is not None:
            raise RuntimeError(f"The app stopped while starting:\n{server.log}")
        if time.monotonic() > deadline:
            raise TimeoutError(f"The app did not start in {SECONDS_TO_START} s:\n{server.log}")
        time.sleep(0.05)


def _is_healthy(port):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", "/_stcore/health")
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()


def _stop(process):
    process.terminate()
    try:
        process.wait(timeout=3)  # one with a hostile student waits for them
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
