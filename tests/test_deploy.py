"""What puts the Lab before a class: the proxy and its replicas are run, image and manifests are checked."""

import asyncio
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml
from kubernetes_validate import validate

from benchmarks.soak import SECONDS_OF_ERRORS, come, kill, leave, replicas_of, through_a_fault
from benchmarks.students import cookies_of, get
from deploy import classroom
from ui.serving.headers import content_policy, frame_ancestors
from ui.streamlit import private

from . import nginx
from .browser.server import serve, serve_class

ROOT = Path(__file__).parents[1]
DEPLOY = ROOT / "deploy"
TEMPLATE = (DEPLOY / "nginx.conf.template").read_text(encoding="utf-8")
KUBERNETES = "1.33"
BUSY = 3  # times what is wanted, which `make soak` measures, on a machine that does other things too


def manifests():
    files = sorted((DEPLOY / "kubernetes").glob("*.yaml"))
    return [found for file in files for found in yaml.safe_load_all(file.read_text(encoding="utf-8"))]


def manifest(kind):
    [found] = [one for one in manifests() if one["kind"] == kind]
    return found


# nginx


def test_nginx_takes_the_configuration(tmp_path):
    nginx.require()
    written = tmp_path / "nginx.conf"
    written.write_text(classroom.configuration("127.0.0.1:18080", [18081, 18082], tmp_path), encoding="utf-8")
    command = [classroom.nginx(), "-t", "-c", str(written), "-e", "stderr"]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr


def test_every_name_of_the_template_is_filled_in(tmp_path):
    assert "QKV_" not in re.sub(r"#.*", "", classroom.configuration("8080", [8601], tmp_path))
    compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
    given = {name for name in compose["services"]["proxy"]["environment"] if name.startswith("QKV_")}
    assert given == set(re.findall(r"\$\{(QKV_\w+)\}", TEMPLATE))


@pytest.mark.parametrize(("ci", "ends"), [("", pytest.skip.Exception), ("true", pytest.fail.Exception)])
def test_without_nginx_a_test_says_so_and_in_ci_it_fails(monkeypatch, ci, ends):
    monkeypatch.setattr(classroom, "nginx", lambda: None)
    monkeypatch.setenv("CI", ci)
    with pytest.raises(ends, match="nginx is not installed"):
        nginx.require()


@pytest.fixture(scope="module")
def room(tmp_path_factory):
    """Two replicas behind nginx."""
    nginx.require()
    with serve_class(tmp_path_factory.mktemp("class"), 2) as running:
        yield running


def test_a_page_comes_with_a_seat_and_its_headers(room):
    [page] = get(room.url, "lab")
    assert re.fullmatch(r"qkv_seat=[0-9a-f]{32}", cookies_of(room.url, "lab"))
    policies = page.headers.get_all("Content-Security-Policy")
    host = f"127.0.0.1:{room.port}".encode()  # with its port, as the browser has it
    assert policies == [content_policy(frame_ancestors("self"), private.inline_scripts(), host)]
    headers = {name.lower(): value for name, value in page.headers.items()}
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "same-origin"
    assert headers["server"] == "nginx"  # and no version


def test_every_replica_says_which_one_it_is(room):
    async def lesson():
        await leave(await come(room.url, 12))

    asyncio.run(lesson())
    assert {"1", "2"} <= set(re.findall(r"replica (\d+), session \d+ opened", room.log))


def test_files_are_compressed_once_and_kept(room):
    [page] = get(room.url, "lab")
    script = re.search(r'src="\./(static/js/[^"]+)"', page.text)[1]
    for path in (script, "app/static/workbench.js", "app/static/plotly.min.js"):
        first, second = get(room.url, path, path)
        assert first.headers["Content-Encoding"] == "gzip"
        assert first.body == second.body
        assert len(first.body) < 0.6 * len(first.text)


def status(room, method, path, **headers):
    options = [part for name, value in headers.items() for part in ("--header", f"{name}: {value}")]
    command = ["curl", "--silent", "--output", os.devnull, "--write-out", "%{http_code}", "--request", method]
    return subprocess.run([*command, *options, room.url + path], capture_output=True, text=True).stdout


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_what_is_not_for_the_room_is_closed(room):
    assert status(room, "GET", "/_stcore/metrics") == "404"
    assert status(room, "GET", "/_stcore/agent/openapi.json") == "404"
    assert status(room, "GET", "/_stcore/health") == "200"
    assert status(room, "GET", "/lab?s=" + "a" * 7500) == "200"
    too_large = str(9 * 2**20)
    assert status(room, "PUT", "/_stcore/upload_file/a/b", **{"Content-Length": too_large}) == "413"


async def all_edit(students):
    return {answer.wrong for answer in await asyncio.gather(*(student.edit() for student in students))}


def test_a_seat_leads_to_the_same_replica(room):
    """After a cut connection the session is still there, which only its own replica knows."""

    async def lesson():
        students = await come(room.url, 6)
        assert await all_edit(students) == {""}
        for student in students:
            await student.close()
            await student.open()
            assert student.fault() == ""
            assert not student.resumed
            await student.close()

    asyncio.run(lesson())


def keeps_two_replicas(room):
    for _ in range(300):
        if len(replicas_of(room.process.pid)) == 2:
            return True
        time.sleep(0.2)
    return False


needs_proc = pytest.mark.skipif(not Path("/proc/self").exists(), reason="processes are found in /proc")


@needs_proc
def test_a_replica_that_is_killed_costs_nobody_a_number(room):
    """Its students are served by the other at once, the rest notice nothing, and another takes its place."""

    async def lesson():
        students = await come(room.url, 30)
        seats = [student.cookies for student in students]
        [killed] = replicas_of(room.process.pid)[:1]
        fault = await through_a_fault(students, lambda: kill([killed]), after=4)
        assert fault.wrong == []
        assert 0 < fault.cut < 30  # the class was spread over both
        assert fault.seconds <= SECONDS_OF_ERRORS * BUSY
        assert [student.cookies for student in students] == seats
        assert await asyncio.to_thread(keeps_two_replicas, room)
        assert killed not in replicas_of(room.process.pid)
        await leave(students)

    asyncio.run(lesson())


@needs_proc
def test_all_replicas_killed_at_once_cost_nobody_a_number(room):
    """Everyone waits until others are there, and goes on from the link."""

    async def lesson():
        students = await come(room.url, 8)
        fault = await through_a_fault(students, lambda: kill(replicas_of(room.process.pid)), after=2)
        assert fault.wrong == []
        assert fault.cut == 8
        await leave(students)

    asyncio.run(lesson())


# The image


def instructions():
    """The Dockerfile's lines: [instruction, the rest]."""
    text = (DEPLOY / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    return [line.split(maxsplit=1) for line in text.splitlines() if line and not line.startswith("#")]


@pytest.mark.skipif(sys.platform == "win32", reason="hadolint has no wheel for Windows")
def test_hadolint_finds_nothing():
    program = shutil.which(
        "hadolint", path=os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    )
    result = subprocess.run([program, DEPLOY / "Dockerfile"], capture_output=True, text=True)
    assert result.returncode == 0, result.stdout


def test_the_image_is_not_run_by_root_and_says_how_it_is():
    names = [name for name, _ in instructions()]
    assert ["USER", "10001:10001"] in instructions()
    assert names.index("USER") < names.index("CMD")
    assert "HEALTHCHECK" in names


def test_what_the_image_holds_is_enough_and_nothing_is_written(tmp_path, monkeypatch):
    """The files that are copied into it, run by its own command from a folder of their own."""
    copied = [shlex.split(rest) for name, rest in instructions() if name == "COPY" and "--from" not in rest]
    lab = tmp_path / "lab"
    for source, target in copied[1:]:
        (lab / target).parent.mkdir(parents=True, exist_ok=True)
        copy = shutil.copytree if (ROOT / source).is_dir() else shutil.copy
        copy(ROOT / source, lab / target)
    prepare = ["-c", "from ui.streamlit.frame import provide_plotly; provide_plotly()"]
    subprocess.run([sys.executable, "-B", *prepare], cwd=lab, check=True)
    before = {path: path.stat().st_mtime_ns for path in lab.rglob("*")}
    [command] = [json.loads(rest) for name, rest in instructions() if name == "CMD"]
    assert command[:5] == ["python", "-m", "streamlit", "run", "server.py"]
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.setattr("tests.browser.server.ROOT", lab)

    async def lesson(url):
        [student] = await come(url, 1)
        assert await all_edit([student]) == {""}
        await student.close()

    with serve(
        tmp_path, options=[part for part in command[5:] if "address" not in part and "port" not in part]
    ) as app:
        asyncio.run(lesson(app.url))
    assert {path: path.stat().st_mtime_ns for path in lab.rglob("*")} == before


def test_compose_runs_replicas_that_cannot_write_behind_the_same_proxy():
    services = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))["services"]
    assert services["lab"]["deploy"]["replicas"] == "${REPLICAS:-2}"
    assert "ports" not in services["lab"]  # only the proxy is reached from outside
    for service in services.values():
        assert service["read_only"]
        assert service["cap_drop"] == ["ALL"]
    assert "nginx.conf.template" in services["proxy"]["volumes"][0]


# Kubernetes


@pytest.mark.parametrize("found", manifests(), ids=lambda found: found["kind"])
def test_kubernetes_takes_the_manifest(found):
    validate(found, KUBERNETES, strict=True)


def test_a_wrong_manifest_is_seen():
    wrong = manifest("Service")
    wrong["spec"]["prots"] = wrong["spec"].pop("ports")
    with pytest.raises(Exception, match="prots"):
        validate(wrong, KUBERNETES, strict=True)


def test_the_manifests_fit_together():
    deployment, service = manifest("Deployment"), manifest("Service")
    labels = deployment["spec"]["template"]["metadata"]["labels"]
    assert service["spec"]["selector"] == labels
    assert manifest("PodDisruptionBudget")["spec"]["selector"]["matchLabels"] == labels
    assert (
        manifest("HorizontalPodAutoscaler")["spec"]["scaleTargetRef"]["name"]
        == deployment["metadata"]["name"]
    )
    [rule] = manifest("Ingress")["spec"]["rules"]
    assert rule["http"]["paths"][0]["backend"]["service"]["name"] == service["metadata"]["name"]
    [container] = deployment["spec"]["template"]["spec"]["containers"]
    probes = [container[f"{kind}Probe"]["httpGet"]["path"] for kind in ("startup", "readiness", "liveness")]
    assert set(probes) == {"/_stcore/health"}
    assert container["securityContext"]["readOnlyRootFilesystem"]


def test_no_way_in_adds_to_what_the_replicas_say():
    """One policy, in one place: two that differ would both hold."""
    assert re.findall(r"add_header ([\w-]+)", TEMPLATE) == ["Set-Cookie"]
    assert "ConfigMap" not in [found["kind"] for found in manifests()]
    assert not any("headers" in name for name in manifest("Ingress")["metadata"]["annotations"])


def test_the_same_cookie_and_limit_everywhere():
    annotations = manifest("Ingress")["metadata"]["annotations"]
    prefix = "nginx.ingress.kubernetes.io"
    assert annotations[f"{prefix}/affinity"] == "cookie"
    assert f"$cookie_{annotations[f'{prefix}/session-cookie-name']}" in TEMPLATE
    assert f"client_max_body_size {annotations[f'{prefix}/proxy-body-size']};" in TEMPLATE
