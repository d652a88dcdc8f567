"""A fake analyst for the screen; it answers at once, or when released."""

from __future__ import annotations

from tests.play.quick import QuickAnalyst
from tests.tui.driving import Person


def analysed_by(person: Person) -> QuickAnalyst:
    """Replace the real analyst with a quick fake."""
    analyst = QuickAnalyst()
    person.screen.match.turns.players._adviser = analyst  # type: ignore[assignment]
    return analyst
