"""What is imported and parsed beforehand is what first frames need: screens opened afterwards bring no more."""

from __future__ import annotations

import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from textual.design import ColorSystem
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Input, Label, Tooltip
from textual.widgets._toast import ToastRack

from daoqi_tui.play.session import Session
from daoqi_tui.tui import prefetch, screens
from daoqi_tui.tui.app import DaoqiApp
from daoqi_tui.tui.output import StripWidget, pieces_of
from daoqi_tui.tui.screens.hinted import KeyLine
from tests.tui.driving import playing
from tests.waiting import HANG, until

pytestmark = pytest.mark.usefixtures("every_frame")

_OPENS = """
import asyncio
import sys
import time
from importlib import import_module

from daoqi_tui.config import load_config
from daoqi_tui.play.keeper import Folders
from daoqi_tui.tui.app import DaoqiApp
from daoqi_tui.tui.prefetch import MODULES, widget_classes
from textual.css import stylesheet

parse, parsed = stylesheet.parse, []

def note(scope, css, read_from, **more):
    parsed.append(read_from)
    return parse(scope, css, read_from, **more)

stylesheet.parse = note
KEYS = ("N", "O", "f7", "C", "b", "n", "o", "question_mark", "f2", "ctrl+p")

async def open_each() -> None:
    app = DaoqiApp(config=load_config(()), folders=Folders.standard())
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        for name in MODULES:
            import_module(name)
        for kind in widget_classes():
            app.stylesheet.add_ahead(kind)
        for key in KEYS:
            before, sources = set(sys.modules), dict(app.stylesheet.source)
            parsed.clear()
            await pilot.press(key)
            while app.screen is app.game or not app.screen.size:
                await pilot.pause(0.01)
            new = set(sys.modules) - before
            # What Python itself brings is small, as are the widths of characters that Rich reads.
            new = {name for name in new if name.partition(".")[0] not in {"rich", *sys.stdlib_module_names}}
            assert not new, (key, new)
            assert not parsed, (key, parsed)
            # With other rules all that is shown would be compared with them again.
            assert app.stylesheet.source == sources, (key, app.stylesheet.source.keys() - sources.keys())
            app.screen.dismiss(None)
            while app.screen is not app.game:
                await pilot.pause(0.01)
            await pilot.pause()

asyncio.run(open_each())
print(*{"aiohttp", "numpy"} & set(sys.modules))
"""


def test_screens_open_without_an_import() -> None:
    done = subprocess.run([sys.executable, "-c", _OPENS], capture_output=True, text=True, check=False, timeout=HANG)
    assert (done.stdout.strip(), done.returncode) == ("", 0), done.stderr


@pytest.fixture
def imported(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    found: list[str] = []
    monkeypatch.setattr(prefetch, "import_module", found.append)
    return found


def _threads() -> list[Thread]:
    import threading

    return [thread for thread in threading.enumerate() if thread.name == "prefetch"]


async def test_all_is_imported_in_an_idle_moment(imported: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prefetch, "_IDLE", 0)
    fetching = prefetch.Prefetch()
    fetching.start()
    await until(lambda: not _threads())
    assert tuple(imported) == prefetch.MODULES


def test_nothing_is_imported_while_keys_are_pressed_and_it_ends_at_once(
    imported: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prefetch, "_IDLE", 10 * HANG)
    fetching = prefetch.Prefetch()
    fetching.last_input = time.monotonic()
    fetching.start()
    fetching.stop()
    assert imported == []
    assert _threads() == []


def test_what_cannot_be_imported_is_left_to_the_screen_that_needs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prefetch, "_IDLE", 0)
    monkeypatch.setattr(prefetch, "MODULES", ("daoqi_tui.no_such_module", "daoqi_tui.tui.screens"))
    fetching = prefetch.Prefetch()
    fetching.start()
    fetching.stop()
    assert _threads() == []


@pytest.mark.parametrize("size", [(200, 60), (120, 40), (80, 24), (40, 14)])
async def test_the_first_screen_is_laid_out_once_and_painted_once(
    monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]
) -> None:
    done: Counter[str] = Counter()

    def count(kind: type[Any], method: str, name: str = "") -> None:
        as_before = getattr(kind, method)

        def counted(self: Any, *given: Any) -> Any:
            done[name or f"#{self.id}"] += 1
            return as_before(self, *given)

        monkeypatch.setattr(kind, method, counted)

    count(Screen, "_refresh_layout", "layouts")
    count(DaoqiApp, "_write_frame", "frames")
    for kind in (Widget, StripWidget):
        count(kind, "render_lines")
    async with playing(size) as person:
        await person.wait()
        assert done["#board"] == done["#status"] == done["layouts"] == done["frames"] == 1, done
        assert max(done.values()) == 1, done


async def test_the_first_screen_has_no_widget_that_nobody_sees() -> None:
    """Each takes a thousandth of the time to the first frame, one that scrolls several, and its rules as many."""
    async with playing((120, 40)) as person:
        await person.wait()
        widgets = [each for each in person.screen.walk_children(Widget) if not isinstance(each, ToastRack | Tooltip)]
        assert [each for each in widgets if not each.display or not each.region.area] == []
        assert len(person.app.stylesheet.rules) < 50


@pytest.mark.parametrize(
    ("key", "pane", "word"), [("t", "#area", "territory"), ("right_square_bracket", "#comment", "A good move")]
)
async def test_a_count_and_a_comment_are_complete_in_the_first_frame_that_shows_them(
    key: str, pane: str, word: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with playing((120, 40)) as person:
        person.screen.begin(Session.opened(b"(;GM[1]SZ[9]TO[3];B[aa]C[A good move.];W[bb])"))
        await person.wait()
        frames: list[tuple[bool, bool]] = []
        write = DaoqiApp._write_frame

        def noted(app: DaoqiApp, screen: Screen[Any], renderable: Any) -> None:
            text = "".join(strip.text for _x, _y, strip in pieces_of(renderable) or ())
            frames.append((any(found.region.area for found in screen.query(pane)), word in text))
            write(app, screen, renderable)

        monkeypatch.setattr(DaoqiApp, "_write_frame", noted)
        await person.press(key)
        await until(lambda: any(found.region.area for found in person.screen.query(pane)))
        await person.wait()
        assert next(told for there, told in frames if there), frames


def test_the_colours_of_a_theme_are_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made, generate = [], ColorSystem.generate

    def noted(colours: ColorSystem) -> dict[str, str]:
        made.append(colours.background)
        return generate(colours)

    monkeypatch.setattr(ColorSystem, "generate", noted)
    app = DaoqiApp()
    assert made == [app.current_theme.to_color_system().background]


async def test_styles_are_parsed_one_after_another_while_nobody_presses_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    async with playing() as person:
        app, parsed = person.app, []
        assert isinstance(app, DaoqiApp)
        monkeypatch.setattr(app.stylesheet, "add_ahead", parsed.append)
        app._prefetch.last_input = time.monotonic() + 10 * HANG
        app.style_ahead([Label, Input])
        assert parsed == []
        app._prefetch.last_input = 0
        app.style_ahead([Label, Input])
        assert parsed[:1] == [Label]
        await until(lambda: parsed == [Label, Input])


async def test_what_is_added_ahead_changes_nothing_on_the_screen_and_is_added_again_for_other_colours() -> None:
    location = str(Path(screens.__file__).with_name("dialogs.tcss")), ""
    async with playing() as person:
        app = person.app
        assert isinstance(app, DaoqiApp)
        nodes = [app, *app.walk_children()]
        before = [dict(node.styles.base.get_rules()) for node in nodes]
        app._prefetch.is_done = True
        app._prefetch.last_input = -10 * HANG
        assert location not in app.stylesheet.source
        app.style_ahead()
        await until(lambda: location in app.stylesheet.source and app._styling is None)
        app.stylesheet.update(app)
        assert [dict(node.styles.base.get_rules()) for node in nodes] == before
        app._prefetch.is_done = False
        app.refresh_css()
        assert location not in app.stylesheet.source, "what is not used need not be parsed to show other colours"
        app._prefetch.is_done = True
        app.theme = next(name for name in app.available_themes if name != app.theme)
        await until(lambda: location in app.stylesheet.source and app._styling is None)
        app._prefetch.is_done = False
        await person.press("question_mark")
        await until(lambda: app.screen is not app.game)
        app.refresh_css()
        assert location in app.stylesheet.source, "now it is used"


@pytest.mark.parametrize("size", [(120, 40), (80, 24), (40, 14)])
@pytest.mark.parametrize("key", ["f2", "f7"])
async def test_what_depends_on_the_size_of_a_screen_is_in_its_first_frame(
    key: str, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    async with playing(size) as person:
        shown: dict[tuple[int, int], str] = {}
        changed: list[int] = []
        write = DaoqiApp._write_frame

        def noted(app: DaoqiApp, screen: Screen[Any], renderable: Any) -> None:
            before = dict(shown)
            for x, y, strip in pieces_of(renderable) or ():
                shown.update({(x + place, y): character for place, character in enumerate(strip.text)})
            if screen is not app.game:
                changed.append(sum(before.get(place) != character for place, character in shown.items()))
            write(app, screen, renderable)

        monkeypatch.setattr(DaoqiApp, "_write_frame", noted)
        await person.press(key)
        await until(lambda: bool(changed))
        await person.wait()
        assert sum(changed[1:]) == 0, changed
        hints = person.app.screen.query(KeyLine)
        line = hints.first().render() if hints else person.app.screen.query_one(".dialog").border_subtitle
        assert "Esc" in str(line)
