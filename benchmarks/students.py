"""Students without a browser: they speak Streamlit's own protocol to a running app, and check its answers.

They say what a browser says: the requests of `static/state/state.js`, and after a cut connection the old session and
the address. A student owns the state, as a browser does. Nothing is drawn, so one process can be a whole class.
"""

import asyncio
import gzip
import http.client
import json
import time
from http.cookies import SimpleCookie
from itertools import count
from typing import NamedTuple
from urllib.parse import quote, urlsplit

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

PATIENCE = 60  # seconds that an answer may take
MOST_STEPS_BACK = 100
MOST_REPEATS = 10  # of a request; a server that began anew drops the first one
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
        self.fragment = ""  # the part of the page that answers
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
        self.fragment = ""  # the whole page
        return await self.ask(self.message(), started)

    async def close(self) -> None:
        if self.socket:
            await self.socket.close()

    async def edit(self) -> Answer:
        raise NotImplementedError

    def message(self) -> BackMsg:
        """Asks for a run, with the state of every widget."""
        message = BackMsg()
        run = message.rerun_script
        run.query_string = self.query
        run.page_script_hash = self.page_hash
        run.page_name = "" if self.page_hash else self.page
        run.fragment_id = self.fragment
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
                case "delta" if message.delta.HasField("new_element"):
                    self.take(message.delta.new_element)
                    self.fragment = message.delta.fragment_id
                case "script_finished":
                    finished = message.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN

    def take(self, element) -> None:
        """Reads one element of the page."""
        if element.HasField("exception"):
            self.wrong = f"an exception on the page: {element.exception.type}"


class LabStudent(Student):
    """Types numbers into X, one cell after the other, and expects the whole matrix to be as it was typed."""

    page = "lab"
    matrix = "x"
    ids = count(1)  # of requests

    def __init__(self, url: str, number: int = 0, query: str = ""):
        super().__init__(url, number, query)
        self.widget = ""
        self.outlines = {}
        self.data = {}  # the last that the workbench was sent
        self.x = []  # the matrix as this student typed it
        self.count = 0
        self.state, self.undo, self.redo = {}, [], []
        self.waiting = []  # acts without an answer
        self.asked = 0  # the request that is waited for
        self.sessions = 0  # of Streamlit's, so far

    async def open(self) -> Answer:
        """As a browser: what it has is asked for, until that is what it is shown."""
        before, began = self.session_id, time.monotonic()
        answer = await super().open()
        self.sessions += self.session_id != before
        if not answer.wrong and self.waiting:
            answer = await self.request()
        return answer._replace(seconds=time.monotonic() - began)

    def fill(self, widgets) -> None:
        if self.widget and self.asked:
            widgets.add(id=self.widget, json_value=json.dumps({"request": self.asks(self.waiting)}))

    def asks(self, acts: list) -> dict:
        """A request, as `send` of static/state/state.js."""
        going = [sum(act[0] == kind for act in acts) for kind in ("undo", "redo")]
        undo, redo = (links[-n:] if n else [] for links, n in zip((self.undo, self.redo), going, strict=True))
        outline = self.data.get("message", {}).get("outline", "")
        asked = {"id": self.asked, "state": self.state, "acts": acts, "undo": undo, "redo": redo}
        return asked | {"outline": outline}

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
        self.waiting.append(list(act))
        return await self.request()

    async def request(self) -> Answer:
        """Asks until all that was done is answered."""
        began, answer = time.monotonic(), Answer(0.0)
        for _ in range(MOST_REPEATS):
            self.asked = next(self.ids)
            answer = await self.ask(self.message())
            if answer.wrong or not self.waiting:
                break
        return Answer(time.monotonic() - began, answer.wrong or self.fault())

    def fault(self) -> str:
        """What the workbench shows that it should not."""
        if self.waiting:
            return f"{len(self.waiting)} acts not answered"
        return "" if self.shown() == self.x else f"typed {self.x}, shown {self.shown()}"

    def shown(self) -> list[list[float]]:
        """The matrix as the workbench was sent it last."""
        outline = self.outlines[self.data["message"]["outline"]]
        keys = [matrix["key"] for matrix in outline["matrices"]]
        return self.data["message"]["values"][keys.index(self.matrix)]

    def take(self, element) -> None:
        super().take(element)
        if not element.HasField("bidi_component"):
            return
        self.widget, self.data = element.bidi_component.id, json.loads(element.bidi_component.json)
        message = self.data["message"]
        if "new_outline" in message:
            self.outlines[message["outline"]] = message["new_outline"]
        if not self.state:
            self.state = self.data["state"]
            self.x = [list(row) for row in self.shown()]
        elif self.data["id"] == self.asked:
            self.adopt(self.data["state"], self.data["trail"])

    def adopt(self, state: dict, trail: list) -> None:
        """An answer that was waited for is what holds: `take` of static/state/state.js."""
        link = self.state["link"]
        for after, meaning in trail:
            if meaning in ("new", "redo"):
                self.undo.append(link)
            if meaning == "undo":
                self.redo.append(link)
            if meaning in ("undo", "redo"):
                (self.undo if meaning == "undo" else self.redo).pop()
            if meaning in ("new", "fresh"):
                self.redo.clear()
            if meaning == "fresh":
                self.undo.clear()
            link = after
        del self.waiting[: len(trail)], self.undo[:-MOST_STEPS_BACK]
        self.state, self.query = state, f"s={quote(state['link'])}"

    @property
    def link(self) -> str:
        """What the address bar holds."""
        return self.state["link"]

    @property
    def resumed(self) -> bool:
        """Whether another session of Streamlit's took over."""
        return self.sessions > 1


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

    def take(self, element) -> None:
        super().take(element)
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
