"""Commands of analysis and notes."""

from __future__ import annotations

from typing import Final

from daoqi_tui.commands.command import Command, group
from daoqi_tui.i18n import N_

READING: Final = group(
    N_("Analysis"),
    Command(
        "ladder",
        ("L",),
        N_("Ladder"),
        N_("Read the ladder on the chain at the cursor"),
        words=N_("shicho capture chase read"),
        helps=True,
    ),
    Command(
        "clear",
        ("escape",),
        N_("Clear"),
        N_("Clear a ladder, hint or analysis; hurry a thinking computer"),
        words=N_("hide remove close cancel dismiss stop"),
    ),
    Command(
        "analysis",
        ("W",),
        N_("Analysis"),
        N_("Analyse the positions you look at, or stop"),
        words=N_("engine search continuous best moves candidates win rate katago"),
        helps=True,
    ),
    Command(
        "next_move",
        ("right_parenthesis",),
        N_("Next best move"),
        N_("Point at the next move of the analysis, to see its line"),
        words=N_("candidate variation line step"),
        helps=True,
    ),
    Command(
        "previous_move",
        ("left_parenthesis",),
        N_("Previous best move"),
        N_("Point at the previous move of the analysis"),
        words=N_("candidate variation line step"),
        helps=True,
    ),
    Command(
        "hint",
        ("H",),
        N_("Hint"),
        N_("Give a hint: the area, then three points, then the best move"),
        words=N_("best moves suggest help ai analyze advice candidates"),
        helps=True,
    ),
    Command(
        "estimate",
        ("e",),
        N_("Estimate"),
        N_("Estimate territory and score lead"),
        words=N_("evaluate territory ownership influence judge win rate"),
        helps=True,
    ),
    Command(
        "review",
        ("V",),
        N_("Review"),
        N_("Find the biggest mistakes of the game"),
        words=N_("analyze mistakes blunders errors whole game"),
        helps=True,
    ),
    Command(
        "next_mistake",
        ("greater_than_sign",),
        N_("Next mistake"),
        N_("Go to the next mistake"),
        words=N_("blunder error review jump"),
        helps=True,
    ),
    Command(
        "previous_mistake",
        ("less_than_sign",),
        N_("Previous mistake"),
        N_("Go to the previous mistake"),
        words=N_("blunder error review jump back"),
        helps=True,
    ),
    Command(
        "summary",
        ("Z",),
        N_("Summary"),
        N_("Sum up how both sides played"),
        words=N_("statistics mean loss mistakes accuracy report"),
        helps=True,
    ),
    Command(
        "standard",
        ("S",),
        N_("Standard form"),
        N_("Turn the view to the opening's standard form"),
        words=N_("turn rotate mirror symmetry canonical opening"),
    ),
    Command(
        "openings",
        ("O",),
        N_("Browse openings"),
        N_("Browse the openings: values, best replies, games of the library"),
        words=N_("fuseki joseki catalogue first moves"),
        helps=True,
    ),
)

NOTES: Final = group(
    N_("Notes"),
    Command(
        "comment",
        ("i",),
        N_("Comment"),
        N_("Write a comment on this move"),
        words=N_("note annotate text remark describe"),
    ),
    Command(
        "mark",
        ("x",),
        N_("Mark"),
        N_("Mark the point at the cursor: triangle, square, circle, cross"),
        words=N_("triangle square circle cross annotate"),
    ),
    Command(
        "letter",
        ("X",),
        N_("Letter"),
        N_("Put the next letter on the point at the cursor"),
        words=N_("label annotate abc character"),
    ),
    Command(
        "numbers",
        ("m",),
        N_("Move numbers"),
        N_("Show or hide move numbers"),
        words=N_("order sequence count show moves"),
    ),
)
