"""The sentences that the rooms below write in English, so that they can be shown in another language.

Those rooms know nothing of languages. What they put into a sentence stands here as ``{0}``, ``{1}`` …; a sentence is
translated by finding the pattern that it fits. A test holds the list against what those rooms say.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from daoqi_tui.i18n import N_, _, language

_PLACE: Final = N_("line {0}, column {1}: {2}")

SENTENCES: Final = (
    _PLACE,
    N_("the chain at {0} would have no liberty; leave it one"),
    N_("times cannot be negative"),
    N_("a clock needs some time to start with"),
    N_("komi is a number, not {0}"),
    N_("komi {0} is out of range: -1000 to 1000"),
    N_("size {0} is out of range: {1} to {2}"),
    N_("the game is not over, so there is nothing to resume; play on"),
    N_("dead stones are agreed on after two passes in a row; pass first"),
    N_("this is the start; there is nothing to take back"),
    N_("nothing more was played from here; there is nothing to play again"),
    N_("the start cannot be deleted"),
    N_("point {0} is off the board: 0 to {1}"),
    N_("{0} is set up twice; name each point once"),
    N_("no stone stands on {0}; name a point with a stone"),
    N_("handicap {0} is out of range: {1}"),
    N_("0, or 2 to {0}"),
    N_("0 on a board this small"),
    N_("a stone stands there already; play on an empty point"),
    N_("the play would repeat the board after move {0} with {1} to move; play elsewhere"),
    N_("the game is over; resume it to play on"),
    N_("{0} wins by {1}{2}"),
    N_(" (equal totals: White wins a tie)"),
    N_("{0} is not a point: a letter from A to {1} and a number from 1 to {2}{3}"),
    N_("; the letter I is skipped"),
    N_("{0} is not a point: two letters from a to {1}"),
    N_("board size {0} is out of range: {1} to {2}"),
    N_("there is no move {0}; the main line has moves 1 to {1}, 0 is the start"),
    N_("and {0} more like these"),
    N_("the file declares an encoding unknown here, {0}"),
    N_("{0}; read as Latin-1"),
    N_("the file declares {0} but is not in it"),
    N_("{0}; read as {1}"),
    N_("{0} cannot be read: {1}"),
    N_("{0} cannot be written: {1}"),
    N_("standard input cannot be read: {0}"),
    N_("standard output cannot be written: {0}"),
    N_("{0} cannot be opened: {1}"),
    N_("komi {0} is not a number of points"),
    N_("{0} has just been renamed by another window"),
    N_("{0} is no file and was passed over"),
    N_("{0} is damaged from its beginning and was kept as {1}"),
    N_("the folder of running games, {0}, cannot be read: {1}"),
    N_("a journal of format {0}; this version reads format {1}"),
    N_("{0} is in use in another window"),
    N_("1 entry was"),
    N_("{0} entries were"),
    N_("the journal holds no game: its beginning is missing or damaged"),
    N_("the last line of the journal was not written whole and was dropped"),
    N_("{0} left out, since what they build on is lost"),
    N_("{0} passed over, since only a newer version knows their kind"),
    N_("{0} is not a file"),
    N_("the journal cannot be read: {0}"),
    N_(" and {0} more"),
    N_("the journal is damaged at line {0}{1}; everything else was restored"),
    N_("{0} missing from the journal; everything else was restored"),
    N_("the game cannot be saved in {0}: {1}; saving is tried again"),
    N_("the disk is full"),
    N_("the disk can only be read"),
    N_("the folder may not be written to"),
    N_("Chinese chess"),
    N_("another game"),
    N_("TO[1] and TO[2] are a board that wraps in one direction only; the torus is TO[3]"),
    N_("the size SZ[{0}] is not a number; it should be {1} to {2}"),
    N_("the board SZ[{0}] is not square; only square boards can be read"),
    N_("the size SZ[{0}] is out of range: {1} to {2}"),
    N_("GM[{0}] is {1}; only records of Go, GM[1], can be read"),
    N_("{0} is there already; choose another name"),
    N_("{0}, game {1}"),
    N_("the index is damaged"),
    N_("[{0}] is not a point of a {1}×{2} board: two letters from a to {3}"),
    N_("[{0}] is not a point to put a stone on or take it from"),
    N_("there is no game {0} in the file; it holds {1}"),
    N_("KM[{0}] is not a number of points from -1000 to 1000; komi {1} taken"),
    N_("{0}; skipped"),
    N_("nodes with setup, illegal moves or two moves of one colour in a row"),
    N_("up to here there are more than {0} {1}; split the file"),
    N_("PL names neither B nor W; skipped"),
    N_("this setup is impossible: {0}; skipped"),
    N_("{0}[{1}] is illegal: {2}"),
    N_("the file is empty; a game record starts with '(;'"),
    N_("this is not an SGF file: no game starts with '(;'"),
    N_("this is not an SGF file: no property follows '(;'"),
    N_("this is not an SGF file: over {0} things up to here make no sense"),
    N_("the '(' at line {0}, column {1} is never closed"),
    N_("the file is larger than {0} MB, the most that is read; split it"),
    N_("the file is cut off: {0}; read up to there"),
    N_("{0} has no value in brackets; skipped"),
    N_("there are more than {0} nodes, the most that is read; split the file"),
    N_("the bracket opened here is never closed; what follows was skipped"),
    N_("a value without a property name; skipped"),
    N_("{0} belongs to no property; skipped"),
    N_("more than {0} '(' are open at once"),
    N_("no stone stands on {0}; name a point of the chain to read"),
    N_("the node budget is 0 or more, not {0}"),
    N_("opening {0} does not exist: 1 to {1} on size {2}"),
    N_("the tables of another program"),
    N_("{0} is not an index of openings; choose another file, or delete it"),
    N_("level {0} is out of range: {1} to {2}"),
    N_("with status {0}"),
    N_("by {0}"),
    N_("the computer player's process ended {0}{1}; it starts anew with the next move"),
    N_("the computer player could not be started: {0}"),
    N_("the game is over after two passes; resume it to go on"),
    N_("the folder 'assets' is missing from this installation of daoqi-tui; install it again"),
    N_("without a reason"),
    N_("{0} refused {1}: {2}"),
    N_("; it said: {0}"),
    N_("no command is given; write the program and its arguments"),
    N_("{0} did not answer {1} within {2} seconds and was ended"),
    N_("{0} is not running; start it anew"),
    N_("the command {0} cannot be read: {1}"),
    N_("{0} cannot be started: {1}"),
    N_("{0} games cannot be played; 1 to 100000 can"),
    N_("{0} games at a time are out of range: 1 to 64"),
    N_("the record {0} cannot be written: {1}"),
    N_("{0} holds another match: {1} is {2} there and {3} here"),
    N_("the log {0} cannot be used: {1}"),
    N_("the log {0} cannot be written: {1}"),
    N_("{0}; use the same settings to go on, or another folder"),
    N_("line {0} of {1} is no part of a match; use another folder"),
    N_("another match is playing into {0}; wait for its end, or use another folder"),
    N_("{0} is not a folder; name one for the log and the records"),
    N_("an opening of {0} plays is out of range: 0 to {1} on this board"),
    N_("{0} is not asked who owns what; our own player is"),
    N_("{0} knows neither kata-analyze nor lz-analyze"),
    N_("a position from which stones were taken by hand cannot be told in GTP"),
    N_("{0} answered {1}, which is no move"),
    N_("{0} played {1}, which is illegal on the torus: {2}"),
    N_("{0}, a move that is legal on the torus"),
    N_("start"),
    N_("pass"),
    N_("move {0}"),
    N_("stones"),
    N_("territory"),
    N_("passes"),
    N_("komi"),
    N_("total"),
    N_("{0} empty points count for nobody"),
    N_("As the board stands: {0}"),
    N_("The record says: {0}"),
    N_("No such file or directory"),
    N_("Permission denied"),
    N_("Is a directory"),
    N_("Not a directory"),
    N_("File exists"),
    N_("No space left on device"),
    N_("Read-only file system"),
    N_("Bad file descriptor"),
    N_("black"),
    N_("white"),
    N_("Black"),
    N_("White"),
)
"""The last ones are what the system says when a file cannot be used, and words that sentences are put together from."""


def said(error: object) -> str:
    """Put an error of a lower room into the person's language, on one line."""
    sentence = " ".join(str(error).split())
    return sentence if language() == "en" else translated(sentence)


def translated(sentence: str, depth: int = 3) -> str:
    """Translate a sentence, and what it quotes of other sentences; one that is not known stays as it is."""
    whole = _(sentence) if sentence else sentence
    if whole != sentence or not depth:
        return whole
    for pattern, template in _patterns():
        match = pattern.fullmatch(sentence)
        if match is not None:
            return _(template).format(*(translated(part, depth - 1) for part in match.groups()))
    return sentence


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], str], ...]:
    """The sentences as patterns; those that say most come first."""
    templates = sorted((t for t in SENTENCES if "{0}" in t), key=lambda template: -len(re.sub(r"{\d}", "", template)))
    templates.remove(_PLACE)
    return tuple((_pattern(template), template) for template in (_PLACE, *templates))


def _pattern(template: str) -> re.Pattern[str]:
    pieces = re.split(r"{\d}", template)
    return re.compile("(.*?)".join(map(re.escape, pieces)), re.DOTALL)
