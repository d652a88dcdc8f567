"""GTP sessions with the server in this process, over text streams."""

from __future__ import annotations

import asyncio
import io
import re
import textwrap
from dataclasses import dataclass

from daoqi_tui.engine import Game
from daoqi_tui.gtp.engine import ServeOptions, Server
from tests.gtp.simple import SimplePlayer

_ANSWER = re.compile(r"([=?])([0-9]*)(?:[ ]|(?=\n)|$)(.*)", re.DOTALL)


@dataclass(frozen=True)
class Told:
    sign: str
    id: str
    text: str


class Talk:
    """Sessions with the server, each with a new game and a new player."""

    def __init__(self, size: int = 9, komi: float = 4, **options: object) -> None:
        self.options = ServeOptions(size, komi, **options)
        self.player: SimplePlayer | None = None
        self.game = Game(size, komi)

    def raw(self, text: str) -> str:
        """Return what the server writes in response to exactly this input."""
        target = io.StringIO()

        async def run() -> None:
            self.player = SimplePlayer()
            server = Server(io.StringIO(text, newline=""), target, self.player, self.options)
            await server.run()
            self.game = server.session.game

        asyncio.run(run())
        return target.getvalue()

    def all(self, *commands: str) -> list[Told]:
        """Return the responses to commands, one each."""
        return split(self.raw("".join(f"{command}\n" for command in commands)))

    def last(self, *commands: str) -> Told:
        """Return the response to the last command; all before it must succeed."""
        *before, last = self.all(*commands)
        assert [told for told in before if told.sign != "="] == []
        return last


def split(output: str) -> list[Told]:
    """Return the responses in the server's output, each of which must end with an empty line and contain none."""
    assert output == "" or output.endswith("\n\n")
    told = []
    for part in output.split("\n\n")[:-1]:
        found = _ANSWER.fullmatch(part)
        assert found is not None, part
        told.append(Told(found[1], found[2], found[3].strip("\n")))
    return told


def plays(drawing: str, colours: str = "XO") -> list[str]:
    """Return the ``play`` commands that set up a diagram, Black's stones first."""
    rows = textwrap.dedent(drawing).strip().splitlines()
    size = len(rows)
    letters = "ABCDEFGHJKLMNOPQRSTUVWXYZ"
    commands = []
    for sign, name in zip(colours, ("black", "white"), strict=True):
        for row, line in enumerate(rows):
            assert len(line) == size
            commands += [f"play {name} {letters[column]}{size - row}" for column, s in enumerate(line) if s == sign]
    return commands
