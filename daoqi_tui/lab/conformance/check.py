"""Asks a GTP engine what the cases say, for ``daoqi-tui conformance``: ``docs/torus-kit.md`` specifies both."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal, TypeAlias

from daoqi_tui import codec
from daoqi_tui.engine import Rules
from daoqi_tui.gtp import shown
from daoqi_tui.gtp.client import Engine, EngineError
from daoqi_tui.message import Message
from daoqi_tui.paths import assets_folder

Kind: TypeAlias = Literal["position", "score", "ladder", "opening", "last eyes"]
Outcome: TypeAlias = Literal["passed", "failed", "not asked"]
_TIES: Final = {1: "BLACK", 2: "WHITE", None: "NONE"}
_LONGEST_END: Final = 4
"""Moves of an end, as a multiple of the points of the board, after which nobody will have won."""
_SCORE: Final = re.compile(r"([BW])\+([0-9]+(?:\.[0-9]+)?)")


@dataclass(frozen=True, slots=True)
class CaseRules:
    """The rules of a case, by the names of KataGo's JSON where it has them."""

    ko: str
    suicide: bool
    passCost: int  # noqa: N815 - a name of the file
    tie: str

    @classmethod
    def of(cls, rules: Rules) -> CaseRules:
        return cls(rules.superko.upper(), rules.suicide, rules.pass_cost, _TIES[rules.tie])

    def as_json(self) -> str:
        return codec.encode(self).decode()


@dataclass(frozen=True, slots=True)
class Case:
    """A case of the file.

    Attributes:
        moves: from the empty board, as the arguments of ``play``; Black and White take turns.
        legal, illegal: points where the side to move may play, and may not.
        board: the rows from the top, ``X`` black, ``O`` white, ``.`` empty.
        prisoners: the stones that each colour has taken, those of the other's suicides included.
        score: after two passes: ``B+3.5``, ``W+0`` for a tie that White wins, ``0`` for a drawn game.
        chain, result: a stone of the chain in the ladder, and ``captured`` or ``escapes`` with the side to move first.
        other, same: another opening, and whether the two are the same up to symmetry.
        winner: if both sides play the last eyes well.
    """

    name: str
    kind: Kind
    size: int
    rules: CaseRules
    moves: tuple[str, ...]
    komi: float = 4
    legal: tuple[str, ...] = ()
    illegal: tuple[str, ...] = ()
    board: tuple[str, ...] = ()
    prisoners: dict[str, int] = field(default_factory=dict)
    score: str = ""
    chain: str = ""
    result: str = ""
    other: tuple[str, ...] = ()
    same: bool = False
    winner: str = ""

    @property
    def to_move(self) -> str:
        return "bw"[len(self.moves) % 2]


@dataclass(frozen=True, slots=True)
class _File:
    format: str
    cases: tuple[Case, ...]


@dataclass(frozen=True, slots=True)
class Finding:
    """What an engine made of a case; ``why`` says what is wrong, or why it was not asked."""

    case: Case
    outcome: Outcome
    why: Message | None = None


class _Wrong(Exception):
    """The engine's answer is not that of the case."""

    def __init__(self, message: Message) -> None:
        super().__init__(message)
        self.message = message


class _NotAsked(_Wrong):
    """The engine has no command that tells."""


def cases_file() -> Path:
    return assets_folder() / "conformance.json"


def read_cases() -> tuple[Case, ...]:
    """Return the shipped cases."""
    return codec.decode(cases_file().read_bytes(), _File).cases


async def check(engine: Engine, cases: Sequence[Case], rules: Rules, on_case: Callable[[Finding], None]) -> None:
    """Ask a started engine about each case.

    Args:
        engine: that was started.
        cases: to ask about.
        rules: those of an engine without ``kata-set-rules``.
        on_case: called after each case.

    Raises:
        EngineError: the engine crashed, or does not answer.
    """
    asking = _Asking(engine, CaseRules.of(rules))
    for case in cases:
        try:
            await asking.ask(case)
            on_case(Finding(case, "passed"))
        except _NotAsked as reason:
            on_case(Finding(case, "not asked", reason.message))
        except _Wrong as fault:
            on_case(Finding(case, "failed", fault.message))


class _Asking:
    def __init__(self, engine: Engine, rules: CaseRules) -> None:
        self._engine: Final = engine
        self._rules = None if "kata-set-rules" in engine.known else rules

    async def ask(self, case: Case) -> None:
        """Ask about a case.

        Raises:
            _Wrong: an answer is not that of the case, or cannot be asked for.
            EngineError: the engine crashed, or does not answer.
        """
        await self._begin(case)
        await self._play(case.moves)
        match case.kind:
            case "position":
                await self._position(case)
            case "score":
                _compare("final_score", case.score, _score(await self._command("final_score")))
            case "ladder":
                answer = await self._known(f"daoqi-ladder {case.chain} {case.to_move}")
                _compare("daoqi-ladder", case.result, answer.partition(" ")[0])
            case "opening":
                ours = await self._known("daoqi-opening")
                await self._begin(case)
                await self._play(case.other)
                same = _standard(ours) == _standard(await self._known("daoqi-opening"))
                if same != case.same:
                    text = Message("the two openings are the same") if case.same else Message("the two openings differ")
                    raise _Wrong(text)
            case "last eyes":
                _compare("genmove", case.winner, await self._play_on(case))

    # Commands

    async def _answer(self, command: str) -> str | None:
        """Return the answer to a command, None if the engine refuses it."""
        try:
            return await self._engine.send(command)
        except EngineError as error:
            if error.fault == "refused":
                return None
            raise

    async def _command(self, command: str) -> str:
        answer = await self._answer(command)
        if answer is None:
            raise _Wrong(Message("{command} is refused", command=command))
        return answer

    async def _known(self, command: str) -> str:
        name = command.partition(" ")[0]
        if name not in self._engine.known:
            raise _NotAsked(Message("the engine has no command {command}", command=name))
        return await self._command(command)

    async def _begin(self, case: Case) -> None:
        if await self._answer(f"boardsize {case.size}") is None:
            raise _NotAsked(Message("the engine has no board of this size: {size}", size=case.size))
        if case.rules != self._rules:
            line = f"kata-set-rules {case.rules.as_json()}"
            if "kata-set-rules" not in self._engine.known or await self._answer(line) is None:
                raise _NotAsked(
                    Message("the engine cannot be set to these rules: {rules}", rules=line.partition(" ")[2])
                )
            self._rules = case.rules
        await self._command("clear_board")
        if case.kind in ("score", "last eyes"):
            await self._command(f"komi {case.komi:g}")

    async def _play(self, moves: Sequence[str]) -> None:
        for number, move in enumerate(moves, 1):
            if await self._answer(f"play {move}") is None:
                raise _Wrong(Message("move {number}, {move}, is refused", number=number, move=move))

    async def _position(self, case: Case) -> None:
        for name in case.illegal:
            if await self._answer(f"play {case.to_move} {name}") is not None:
                raise _Wrong(Message("{move} is illegal and was accepted", move=f"{case.to_move} {name}"))
        if "list_stones" in self._engine.known:
            for colour, sign in (("black", "X"), ("white", "O")):
                stones = (await self._command(f"list_stones {colour}")).upper().split()
                _compare(f"list_stones {colour}", " ".join(sorted(_names(case, sign))), " ".join(sorted(stones)))
        if "gogui-rules_captured_count" in self._engine.known:
            wanted = f"{case.prisoners['b']} {case.prisoners['w']}"
            _compare("gogui-rules_captured_count", wanted, await self._command("gogui-rules_captured_count"))
        for name in case.legal:
            if await self._answer(f"play {case.to_move} {name}") is None:
                raise _Wrong(Message("{move} is legal and was refused", move=f"{case.to_move} {name}"))
            if await self._answer("undo") is None:
                await self._begin(case)
                await self._play(case.moves)

    async def _play_on(self, case: Case) -> str:
        """Let the engine play both sides to the end; returns the winner, ``b`` or ``w``."""
        colour, passes = case.to_move, 0
        for _ in range(_LONGEST_END * case.size**2):
            move = (await self._known(f"genmove {colour}")).lower()
            other = "w" if colour == "b" else "b"
            if move == "resign":
                return other
            passes = passes + 1 if move == "pass" else 0
            if passes == 2:
                return _score(await self._command("final_score"))[0].lower()
            colour = other
        raise _Wrong(Message("the engine does not end the game"))


def _compare(command: str, wanted: str, found: str) -> None:
    if wanted != found:
        raise _Wrong(
            Message("{command}: {found} instead of {wanted}", command=command, found=shown(found), wanted=shown(wanted))
        )


def _score(answer: str) -> str:
    """Return a score in the form of the cases: engines write it with more or fewer digits."""
    found = _SCORE.fullmatch(answer.strip())
    return f"{found[1]}+{float(found[2]):g}" if found else answer.strip()


def _standard(answer: str) -> str:
    """Return the line of ``daoqi-opening`` that is the same for the same opening."""
    return next((line for line in answer.splitlines() if line.startswith("standard:")), answer)


def _names(case: Case, sign: str) -> list[str]:
    """Return the names of the points with a sign, row 1 at the bottom.

    It names them itself, since the engine that is asked may be ours.
    """
    letters = "ABCDEFGHJKLMNOPQRSTUVWXYZ"
    return [
        f"{letters[column]}{case.size - row}"
        for row, line in enumerate(case.board)
        for column, found in enumerate(line)
        if found == sign
    ]
