"""Plays games that are to be killed; ``test_journal_kill.py`` runs it as a program.

For each line ``SEED FOLDER`` on standard input it forks a child, which resumes the game in the folder, or begins one,
and plays until it is killed. It prints ``pid N``; ``do DIGEST TREE``, the digests of the game and of its tree after
the next act, before the journal records it; ``ack`` when everything recorded so far is on disk; ``filing`` and
``filed`` before and after a game is moved to the library; and ``gone`` when the child has ended.
"""

from __future__ import annotations

import copy
import os
import sys
import traceback
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from daoqi_tui.engine import Game
from daoqi_tui.record.journal import Journal, scan
from daoqi_tui.record.library import Library
from daoqi_tui.record.sgf.info import Info
from tests.record.journal_acts import act, digest_of, tree_digest_of


def say(words: str) -> None:
    os.write(1, f"{words}\n".encode())


def say_state(game: Game) -> None:
    say(f"do {digest_of(game)} {tree_digest_of(game)}")


def as_filed(game: Game) -> Game:
    """Return the game as filing leaves it in the journal: a finished line becomes the main line."""
    filed = copy.deepcopy(game)
    if filed.is_over:
        filed.promote(filed.node)
    return filed


def play_for_ever(folder: Path, rng: Random) -> None:
    found = scan(folder)
    if found.journals:
        journal, restored = Journal.resume(found.journals[0].path)
        game = restored.game
    else:
        game = Game(rng.choice([5, 7]), 4, rng.choice([0, 2]))
        journal = Journal.begin(game, Info(black="Ke"), folder=folder)
    say_state(game)
    say("ack")
    while True:
        if sum(1 for _ in game.root.walk()) > 60:
            say("filing")
            say_state(as_filed(game))
            library = Library(folder / "games")
            journal.finish(library)
            library.close()
            say("filed")
            game = Game(5)
            journal = Journal.begin(game, folder=folder)
            say_state(game)
        note = act(game, rng)
        say_state(game)
        ticket = note(journal)
        # Not waiting every time lets several entries queue up.
        if rng.random() < 0.7 and ticket.wait() and ticket.done:
            say("ack")


def main() -> None:
    say("ready")
    for line in sys.stdin:
        seed, folder = line.rstrip("\n").split(" ", 1)
        child = os.fork()
        if not child:
            try:
                play_for_ever(Path(folder), Random(int(seed)))
            except BaseException:
                say("error " + repr(traceback.format_exc()))
            os._exit(1)
        say(f"pid {child}")
        os.waitpid(child, 0)
        say("gone")


if __name__ == "__main__":
    main()
