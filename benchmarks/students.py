"""Students without a browser: they speak Streamlit's own protocol to a running app, and check its answers.

They say what a browser says: the acts of `static/acts.js`, every widget's state with each of them, and after
a cut connection the old session and the address. Nothing is drawn, so one process can be a whole class.
"""

import asyncio
import gzip
import http.client
import json
import time
from http.cookies import SimpleCookie
from typing import NamedTuple
from urllib.parse import parse_qs, urlsplit

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

PATIENCE = 60  # seconds that an answer may take
LOOPBACK = {"127.0.0.1", "localhost", "::1"}
# What ends the wait of a student; anything else is a fault of this file.
CUT = (OSError, EOFError, WebSocketException, http.client.HTTPException)


class Answer(NamedTuple):
    """To one edit: how long it took, and what was wrong with it (nothing, if all is well)."""

    seconds: float
    wrong: str = ""


class Student:
    """One connection, and what its owner knows of the page; what an edit is, a subclass knows."""

    page = ""

    def __init__(self, url: str, number: int = 0, query: str = ""):
        if urlsplit(url).hostname not in LOOPBACK:
            raise ValueError(f"Only an app on this machine may be put under load, not {url}.")
        self.url, self.number, self.query = url, number, query
        self.socket = None
        self.session_id = ""  # Streamlit's name for the session
        self.cookies = ""
        self.page_hash = ""
        self.fragment = ""
        self.bytes = 0  # received
        self.wrong = ""  # what is wrong with the present answer

    async def open(self) -> Answer:
        """Opens the page, or the same session again after a cut; until its script is finished."""
        started = time.monotonic()
        if not self.cookies:
            self.cookies = await asyncio.to_thread(cookies_of, self.url, self.page)
        await self.close()
        if self.session_id:  # as a browser that comes back, before it opens a socket
            [health] = await asyncio.to_thread(get, self.url, "_stcore/health", cookies=self.cookies)
            if health.status != 200:
                raise http.client.HTTPException(f"health is {health.status}")
        protocols = ["streamlit", "PLACEHOLDER_AUTH_TOKEN", *filter(None, [self.session_id])]
        self.socket = await connect(
            f"{self.url.replace('http', 'ws', 1)}/_stcore/stream",
            origin=self.url,  # as its host, or Streamlit refuses
            subprotocols=protocols,
            additional_headers={"Cookie": self.cookies} if self.cookies else None,
            compression=None,
            proxy=None,
            max_size=None,
            open_timeout=PATIENCE,
        )
        return await self.ask(self.message(whole_page=True), started)

    async def close(self) -> None:
        if self.socket:
            await self.socket.close()

    async def edit(self) -> Answer:
        raise NotImplementedError

    def message(self, whole_page: bool = False) -> BackMsg:
        """Asks for a run, with the state of every widget."""
        message = BackMsg()
        run = message.rerun_script
        run.query_string = self.query
        run.page_script_hash = self.page_hash
        run.page_name = "" if self.page_hash else self.page
        run.fragment_id = "" if whole_page else self.fragment
        run.context_info.locale = "en-US"
        run.context_info.url = f"{self.url}/{self.page}"
        self.fill(run.widget_states.widgets)
        return message

    def fill(self, widgets) -> None:
        """Adds the state of each widget."""

    async def ask(self, message: BackMsg, started: float | None = None) -> Answer:
        """Sends, and reads until the script is finished; what is wrong is said, not raised."""
        started = started or time.monotonic()
        self.wrong = ""
        try:
            async with asyncio.timeout(PATIENCE):
                await self.socket.send(message.SerializeToString())
                await self.read_until_finished()
        except TimeoutError:
            self.wrong = f"no answer in {PATIENCE} s"
        except CUT as error:
            self.wrong = f"cut: {error}"
        return Answer(time.monotonic() - started, self.wrong)

    async def read_until_finished(self) -> None:
        finished = False
        while not finished:
            frame = await self.socket.recv()
            self.bytes += len(frame)
            message = ForwardMsg.FromString(frame)
            match message.WhichOneof("type"):
                case "new_session":
                    self.session_id = message.new_session.initialize.session_id
                case "navigation":
                    self.page_hash = message.navigation.page_script_hash
                case "page_info_changed":
                    self.query = message.page_info_changed.query_string
                case "delta" if message.delta.HasField("new_element"):
                    self.take(message.delta.new_element, message.delta.fragment_id)
                case "script_finished":
                    finished = message.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN

    def take(self, element, fragment: str) -> None:
        """Reads one element of the page."""
        if element.HasField("exception"):
            self.wrong = f"an exception on the page: {element.exception.type}"


class LabStudent(Student):
    """Types numbers into X, one cell after the other, and expects the whole matrix to be as it was typed."""

    page = "lab"
    matrix = "x"

    def __init__(self, url: str, number: int = 0, query: str = ""):
        super().__init__(url, number, query)
        self.widget = ""
        self.outlines = {}
        self.data = {}  # the last that the workbench was sent
        self.painted = 0  # how often
        self.x = []  # the matrix as this student typed it
        self.count = 0
        self.waiting = []  # acts that were not acknowledged
        self.done = ([], "")  # those acknowledged last, and the address then
        self.resumed = False  # whether there was another session before

    def fill(self, widgets) -> None:
        if self.widget:
            acts = {"session": self.data["session"], "holding": self.data["outline"], "repeats": 0}
            acts["acts"] = self.waiting
            widgets.add(id=self.widget, json_value=json.dumps({"acts": acts}))

    async def edit(self) -> Answer:
        """A number that nobody else types, into the next cell."""
        rows, columns = len(self.x), len(self.x[0])
        row, column = divmod(self.count % (rows * columns), columns)
        return await self.type(row, column, round(self.number + self.count % 1000 / 1000, 3))

    async def type(self, row: int, column: int, value: float) -> Answer:
        self.x[row][column] = value
        return await self.act("edit", self.matrix, row, column, str(value))

    async def act(self, *act) -> Answer:
        self.count += 1
        self.waiting.append([self.count, *act])
        painted = self.painted
        answer = await self.ask(self.message())
        if self.painted == painted:
            return answer._replace(wrong=answer.wrong or "the workbench was not drawn")
        return answer._replace(wrong=answer.wrong or self.fault())

    def fault(self) -> str:
        """What the workbench shows that it should not."""
        if self.waiting:
            return f"{len(self.waiting)} acts not acknowledged"
        return "" if self.shown() == self.x else f"typed {self.x}, shown {self.shown()}"

    def shown(self) -> list[list[float]]:
        """The matrix as the workbench has it."""
        outline = self.outlines[self.data["outline"]]
        return self.data["values"][[matrix["key"] for matrix in outline["matrices"]].index(self.matrix)]

    def take(self, element, fragment: str) -> None:
        super().take(element, fragment)
        if not element.HasField("bidi_component"):
            return
        data = json.loads(element.bidi_component.json)
        another = bool(self.data) and self.data["session"] != data["session"]
        self.resumed |= another
        if another and self.query == self.done[1]:  # what was acknowledged last did not come into the address
            self.waiting = self.done[0] + self.waiting
        self.widget, self.fragment, self.data = element.bidi_component.id, fragment, data
        self.painted += 1
        if "new_outline" in data:
            self.outlines[data["outline"]] = data["new_outline"]
        acknowledged = [act for act in self.waiting if act[0] <= data["acknowledged"]]
        if acknowledged:
            self.done = (acknowledged, self.query)
        self.waiting = [act for act in self.waiting if act[0] > data["acknowledged"]]
        self.count = max(self.count, data["acknowledged"])
        if not self.x:
            self.x = [list(row) for row in self.shown()]

    @property
    def link(self) -> str:
        """What the address bar holds."""
        return parse_qs(self.query).get("s", [""])[0]


class UsualStudent(Student):
    """Presses the button of `apps/usual.py`, which changes a number and draws every chart anew."""

    def __init__(self, url: str, number: int = 0, query: str = ""):
        super().__init__(url, number, query)
        self.button, self.pressed, self.count, self.text = "", False, 0, ""

    def fill(self, widgets) -> None:
        if self.pressed:
            widgets.add(id=self.button, trigger_value=True)

    async def edit(self) -> Answer:
        self.count, self.pressed, self.text = self.count + 1, True, ""
        answer = await self.ask(self.message())
        self.pressed = False
        expected = f"count {self.count} output"
        right = self.text.startswith(expected)
        return answer._replace(
            wrong=answer.wrong or ("" if right else f"{expected} expected, shown {self.text}")
        )

    def take(self, element, fragment: str) -> None:
        super().take(element, fragment)
        if element.HasField("button"):
            self.button = element.button.id
        elif element.HasField("text"):
            self.text = element.text.body


class File(NamedTuple):
    status: int
    headers: http.client.HTTPMessage
    body: bytes  # as it was sent

    @property
    def text(self) -> str:
        packed = self.headers.get("Content-Encoding") == "gzip"
        return (gzip.decompress(self.body) if packed else self.body).decode()


def get(url: str, *paths: str, cookies: str = "") -> list[File]:
    """Files over one connection, as a browser that has nothing asks for them."""
    split = urlsplit(url)
    connection = http.client.HTTPConnection(split.hostname, split.port, timeout=PATIENCE)
    headers = {"Accept-Encoding": "gzip"} | ({"Cookie": cookies} if cookies else {})
    found = []
    try:
        for path in paths:
            connection.request("GET", f"/{path}", headers=headers)
            response = connection.getresponse()
            found.append(File(response.status, response.headers, response.read()))
    finally:
        connection.close()
    return found


def cookies_of(url: str, page: str) -> str:
    """The cookies that a first visit gets, as they are sent back; a proxy knows its visitors by one."""
    jar = SimpleCookie()
    for line in get(url, page)[0].headers.get_all("Set-Cookie") or []:
        jar.load(line)
    return "; ".join(f"{name}={morsel.value}" for name, morsel in jar.items())
