"""What is being played: the game, who plays it, and their clock."""

from __future__ import annotations

from dataclasses import dataclass, field

from daoqi_tui.engine import STANDARD_KOMI, STANDARD_SIZE, Colour, Game
from daoqi_tui.engine.clock import Clock, TimeControl


@dataclass(frozen=True, slots=True)
class GameSetup:
    """What is agreed before a game begins."""

    size: int = STANDARD_SIZE
    komi: float = STANDARD_KOMI
    handicap: int = 0
    black: str = ""
    white: str = ""
    time: TimeControl | None = None


@dataclass
class Session:
    """A game with its players and clock.

    Attributes:
        touched: whether anything has been played, so that leaving should be asked about.
    """

    setup: GameSetup = field(default_factory=GameSetup)

    def __post_init__(self) -> None:
        self.game = Game(self.setup.size, self.setup.komi, self.setup.handicap)
        self.clock = Clock(self.setup.time) if self.setup.time else None
        self.start = self.game.node

    @property
    def touched(self) -> bool:
        """Whether a move has been played that leaving would lose."""
        return bool(self.start.children) and not self.game.is_over

    def player(self, colour: Colour) -> str:
        """Name a player as entered, or an empty string."""
        return (self.setup.black, self.setup.white)[colour - 1]
