"""The Lab for a class without containers: replicas and nginx on this machine.

    make class REPLICAS=2 PORT=8501

Everyone in the room opens the address that is printed. A replica that ends is started again; Ctrl+C ends all.
"""

import argparse
import contextlib
import http.client
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from string import Template

ROOT = Path(__file__).parents[1]
TEMPLATE = Path(__file__).with_name("nginx.conf.template")
SECONDS_TO_START = 120
NGINX_IS_MISSING = """nginx is missing; it stands in front of the replicas.
  Debian, Ubuntu:  sudo apt install nginx
  macOS:           brew install nginx
Without it, `make run HOST=0.0.0.0` opens one process to the room."""


def nginx() -> str | None:
    return shutil.which("nginx", path=os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin"]))


def configuration(listen: str, ports: list[int], folder: Path, cookie: str = "SameSite=Lax") -> str:
    """nginx's configuration: the template that the container uses, filled in."""
    # A replica on this machine that is not there says so at once, so none is left out for a while. nginx
    # would take it in again only when a request to it has ended, and that of a socket does not end.
    servers = " ".join(f"server 127.0.0.1:{port} max_fails=0;" for port in ports)
    values = {"LISTEN": listen, "SERVERS": servers, "FOLDER": folder, "COOKIE": cookie}
    text = TEMPLATE.read_text(encoding="utf-8")
    return Template(text).safe_substitute({f"QKV_{name}": value for name, value in values.items()})


def free_ports(number: int) -> list[int]:
    with contextlib.ExitStack() as stack:
        probes = [stack.enter_context(socket.socket()) for _ in range(number)]
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [probe.getsockname()[1] for probe in probes]


def start_replica(port: int, number: int) -> subprocess.Popen:
    options = ["--server.address=127.0.0.1", f"--server.port={port}", "--server.headless=true"]
    options += ["--server.fileWatcherType=none", "--logger.hideWelcomeMessage=true"]
    return subprocess.Popen(
        [sys.executable, "-m", "streamlit", "run", "server.py", *options],
        cwd=ROOT,
        env={**os.environ, "QKV_REPLICA": str(number)},  # its lines begin with it
        stdin=subprocess.DEVNULL,
    )


def is_healthy(port: int, host: str = "127.0.0.1") -> bool:
    connection = http.client.HTTPConnection(host, port, timeout=5)
    try:
        connection.request("GET", "/_stcore/health")
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def wait_until_healthy(ports: list[int], processes: list[subprocess.Popen], host: str = "127.0.0.1") -> None:
    deadline = time.monotonic() + SECONDS_TO_START
    while not all(is_healthy(port, host) for port in ports):
        if any(process.poll() is not None for process in processes):
            sys.exit("The Lab could not be started; its own words are above.")
        if time.monotonic() > deadline:
            sys.exit(f"The Lab did not start within {SECONDS_TO_START} s.")
        time.sleep(0.1)


def address_in_the_room() -> str:
    """This machine's address in its network; nothing is sent to find it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
            return probe.getsockname()[0]
        except OSError:
            return "127.0.0.1"


def keep_running(replicas: dict[int, subprocess.Popen], proxy: subprocess.Popen) -> None:
    """Starts again whatever replica ends; returns when nginx does."""
    while proxy.poll() is None:
        for number, (port, process) in enumerate(replicas.items(), 1):
            if process.poll() is not None:
                print(f"A replica ended ({process.returncode}); another takes its place.", flush=True)
                replicas[port] = start_replica(port, number)
        time.sleep(0.5)
    sys.exit("nginx ended; its own words are above.")


def run(settings: argparse.Namespace, program: str, folder: Path) -> None:
    ports = free_ports(settings.replicas)
    everywhere = settings.host in ("", "0.0.0.0")
    listen = str(settings.port) if everywhere else f"{settings.host}:{settings.port}"
    written = folder / "nginx.conf"
    written.write_text(configuration(listen, ports, folder, settings.cookie), encoding="utf-8")
    replicas, proxy = {port: start_replica(port, number) for number, port in enumerate(ports, 1)}, None
    try:
        wait_until_healthy(ports, list(replicas.values()))
        # The folder belongs to whoever started this; nginx's workers, where root did, are somebody else.
        user = "user root; " if os.geteuid() == 0 else ""
        proxy = subprocess.Popen([program, "-c", str(written), "-e", "stderr", "-g", f"{user}daemon off;"])
        wait_until_healthy([settings.port], [proxy], "127.0.0.1" if everywhere else settings.host)
        shown = address_in_the_room() if everywhere else settings.host
        print(f"QKV Lab for the room: http://{shown}:{settings.port}", flush=True)
        print(f"({settings.replicas} replicas behind nginx; Ctrl+C ends them)", flush=True)
        keep_running(replicas, proxy)
    finally:
        end([*filter(None, [proxy]), *replicas.values()])


def end(processes: list[subprocess.Popen]) -> None:
    for process in processes:
        process.terminate()
    for process in processes:
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--replicas", type=int, default=2)
    parser.add_argument("--port", type=int, default=8501)
    parser.add_argument("--host", default="0.0.0.0", help="127.0.0.1 keeps it on this machine")
    parser.add_argument("--framed-by", help="the address of a site that may frame the Lab")
    parser.add_argument("--cookie", default="SameSite=Lax")
    settings = parser.parse_args()
    program = nginx()
    if program is None:
        sys.exit(NGINX_IS_MISSING)
    if not 1 <= settings.replicas <= 64:
        sys.exit("REPLICAS is a number from 1 to 64; one for each core is a good choice.")
    if settings.framed_by:
        os.environ["QKV_FRAMED_BY"] = settings.framed_by  # the replicas say it with every page
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with tempfile.TemporaryDirectory(prefix="qkv") as folder, contextlib.suppress(KeyboardInterrupt):
        run(settings, program, Path(folder))


if __name__ == "__main__":
    main()
