"""The ten steps of the first lesson. Points are named as on the board, 9 × 9."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from daoqi_tui.engine import BLACK, WHITE, Colour, Game, Refusal, Repeats
from daoqi_tui.i18n import N_

SIZE: Final = 9
_LADDER_NODES: Final = 20_000


@dataclass(frozen=True, slots=True)
class Attempt:
    """What the learner did.

    Attributes:
        game: the game after it.
        refusal: why a play was refused, None when it was not.
        panned: how many points the view has been panned since the step began.
    """

    game: Game
    refusal: Refusal | None = None
    panned: int = 0


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the lesson.

    Attributes:
        title: its heading.
        text: what is to be learned.
        task: what to do.
        praise: what is said when it is done.
        hint: what is said when something else was done.
        black: the black stones, by name.
        white: the white ones.
        to_move: who plays, the learner.
        before: moves made before the learner's, by name or ``pass``, beginning with the other colour.
        done: whether an attempt is what was asked for.
        after: moves that show what follows, made by themselves; none if not given.
    """

    title: str
    text: str
    task: str
    praise: str
    hint: str
    done: Callable[[Attempt], bool]
    black: str = ""
    white: str = ""
    to_move: Colour = BLACK
    before: str = ""
    after: Callable[[Game], Iterable[int]] | None = None


def _played(name: str) -> Callable[[Attempt], bool]:
    return lambda attempt: _last(attempt) == attempt.game.torus.parse(name)


def _last(attempt: Attempt) -> int | None:
    move = attempt.game.node.move
    return move.point if move is not None and attempt.refusal is None else None


def _captured(stones: int) -> Callable[[Attempt], bool]:
    return lambda attempt: attempt.refusal is None and attempt.game.node.captured == stones


def _free(name: str, liberties: int) -> Callable[[Attempt], bool]:
    """Whether a chain has come to have some liberties at least."""

    def free(attempt: Attempt) -> bool:
        chain = attempt.game.chain_at(attempt.game.torus.parse(name))
        return chain is not None and len(chain.liberties) >= liberties

    return free


def _ladder(game: Game) -> Iterable[int]:
    """What follows the first atari of the ladder, to the capture; nothing when there is no ladder."""
    from daoqi_tui.analysis.ladder import read_ladder  # noqa: PLC0415 (only the last step needs it)

    if game.chain_at(game.torus.parse("E5")) is None:
        return ()
    ladder = read_ladder(game.board, game.torus.parse("E5"), nodes=_LADDER_NODES)
    return ladder.line if ladder.result == "captured" else ()


STEPS: Final = (
    Step(
        N_("No edge"),
        N_(
            "This board has no edge and no corner. What leaves it on the left comes in again on the right, and what "
            "leaves it at the top comes in at the bottom. Every point has four neighbours. The pale board around "
            "the bright one shows the same points once more."
        ),
        N_("The stone on A5 has four liberties, one of them to its left. Play there."),
        N_("I5 is the left neighbour of A5: both stones are one chain now, with six liberties."),
        N_("The point to the left of A5 is in the last column, on row 5."),
        _played("I5"),
        black="A5",
    ),
    Step(
        N_("Moving the window"),
        N_(
            "The board never ends, so you can move over it as far as you like: with the arrow keys, with the wheel, or "
            "by dragging with the mouse. Only your window moves. Names belong to points and go with them."
        ),
        N_("Bring the two black stones side by side: move the window four points or more."),
        N_("The world goes round. After nine points you would be where you began; 0 takes you there at once."),
        N_("Press an arrow key a few times, or drag the board with the mouse."),
        lambda attempt: attempt.panned >= 4,
        black="A5 I5",
        white="D3 F7",
    ),
    Step(
        N_("Taking stones"),
        N_(
            "Stones of one colour that stand side by side are a chain. The empty points next to it are its "
            "liberties. Whoever takes its last liberty takes the whole chain off the board."
        ),
        N_("The white chain has one liberty left. Take both stones."),
        N_("Two prisoners."),
        N_("Look for the empty point next to the white stones; put the cursor on one, and its liberties light up."),
        _captured(2),
        black="D5 E6 F6 E4 F4",
        white="E5 F5",
    ),
    Step(
        N_("Taking stones across the seam"),
        N_(
            "It is the same where the picture ends, since the board does not: a chain may go on at the other side, and "
            "so may its liberties."
        ),
        N_("The white stones on A1 and A9 are one chain. Take them."),
        N_("In a corner of an ordinary board two stones would have done. Here nothing helps but stones."),
        N_("A1 has neighbours B1, A2, I1, and A9 above. Which point next to the two stones is empty?"),
        _captured(2),
        black="A2 B1 B9 A8 I9",
        white="A1 A9 D4 E7",
    ),
    Step(
        N_("Saving stones"),
        N_(
            "A chain with one liberty left is in atari: it can be taken with the next move. Adding a stone to it can "
            "give it new liberties."
        ),
        N_("Your stone on E9 is in atari. Save it."),
        N_("E9 and E1 are neighbours: three liberties, and out of danger for now."),
        N_("The last liberty of E9 is above it, and above row 9 comes row 1."),
        _free("E9", 3),
        black="E9 C3",
        white="D9 F9 E8 F3",
    ),
    Step(
        N_("Suicide"),
        N_(
            "You may also take the last liberty of your own chain: then it comes off the board, and its stones are "
            "prisoners of your opponent. With one stone you leave the board as it was, and it is your opponent's move: "
            "a pass that costs no point."
        ),
        N_("Play on E5, where no liberty is left."),
        N_("The stone is gone, and White is to move on the same board."),
        N_("Play on the empty point between the four white stones."),
        lambda attempt: attempt.refusal is None and attempt.game.node.lost == 1,
        black="C3 G7",
        white="E6 E4 D5 F5",
    ),
    Step(
        N_("No repetition"),
        N_(
            "A play must not bring back a board that has been there before with the same player to move. That keeps "
            "two players from taking one stone back and forth for ever. Black has just taken a stone by playing E5; "
            "you are White."
        ),
        N_("Try to take back at once: play on D5."),
        N_(
            "Refused: this board has been there. Play elsewhere first, and you may take back, for then the board is "
            "another."
        ),
        N_("Try the point where your stone was taken: D5."),
        lambda attempt: isinstance(attempt.refusal, Repeats),
        black="D6 D4 C5",
        white="E6 E4 F5 D5",
        to_move=WHITE,
        before="E5",
    ),
    Step(
        N_("Passing"),
        N_("Instead of playing you may pass. A pass costs a point, so pass only when nothing is left that gains one."),
        N_("Press p to pass."),
        N_("One point less for you, and it is White's move."),
        N_("Do not play this time: press p."),
        lambda attempt: attempt.refusal is None and attempt.game.node.passes_in_row == 1,
        black="C1 C2 C3 C4 C5 C6 C7 C8 C9 G1 G2 G3 G4 G5 G6 G7 G8 G9",
        white="D1 D2 D3 D4 D5 D6 D7 D8 D9 F1 F2 F3 F4 F5 F6 F7 F8 F9",
    ),
    Step(
        N_("The count"),
        N_(
            "Two passes in a row end the game. You have a point for each of your stones on the board and for each "
            "empty point that only your stones surround, less one for each pass; White has the komi on top, and wins "
            "a tie. Here your two walls surround everything behind the seam."
        ),
        N_("White has passed. Pass too, and see the count."),
        N_("Your area reaches from G round the seam to C: that is how Black wins here."),
        N_("Press p to pass."),
        lambda attempt: attempt.game.is_over,
        black="C1 C2 C3 C4 C5 C6 C7 C8 C9 G1 G2 G3 G4 G5 G6 G7 G8 G9",
        white="D1 D2 D3 D4 D5 D6 D7 D8 D9 F1 F2 F3 F4 F5 F6 F7 F8 F9",
        before="pass",
    ),
    Step(
        N_("The ladder that bites its tail"),
        N_(
            "In a ladder each move gives atari, and each escape leaves a single liberty. On an ordinary board it runs "
            "until it meets the edge. Here it runs round the world, and meets itself."
        ),
        N_("Give atari to E5, from above or from the right: only one of them works. White will run."),
        N_("Once round the torus, and caught by its own start. Now you know what is special here. Have a good game!"),
        N_("That way White gets three liberties and is free. Drive it along your other stones."),
        lambda attempt: bool(_last(attempt) is not None and attempt.refusal is None and tuple(_ladder(attempt.game))),
        black="D5 E4 F4",
        white="E5",
        after=_ladder,
    ),
)
