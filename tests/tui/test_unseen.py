"""What nobody sees is painted later, and what cannot be painted fails then."""

from __future__ import annotations

import pytest
from textual.strip import Strip
from textual.widget import Widget

from tests.thorough import THOROUGH
from tests.tui.driving import playing


async def _break(*keys: str, leave: str) -> None:
    """Open a screen, have its widgets fail when they are painted, and leave the screen by a key or with the app."""

    def broken(_y: int) -> Strip:
        raise ZeroDivisionError

    async with playing() as person:
        await person.press(*keys)
        for widget in person.app.screen.query(Widget):
            widget.render_line = broken  # type: ignore[method-assign]
            widget.refresh()
        await person.wait()
        # Nobody has looked.
        assert person.app._exception is None
        if leave:
            await person.press(leave)
            pytest.fail("the screen has been left unpainted")


@pytest.mark.skipif(THOROUGH, reason="each frame is painted")
@pytest.mark.parametrize(("keys", "leave"), [("", "question_mark"), (["question_mark"], "escape"), ("", "")])
async def test_what_cannot_be_painted_fails(keys: list[str], leave: str) -> None:
    with pytest.raises(ZeroDivisionError):
        await _break(*keys, leave=leave)
