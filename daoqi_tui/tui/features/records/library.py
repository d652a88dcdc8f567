"""The library: all played and imported games, with incremental search."""

from __future__ import annotations

import asyncio
from asyncio import CancelledError
from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import Final, NamedTuple, TypeAlias, TypeVar

from rich.text import Text
from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.widgets import Input, Static

from daoqi_tui.children import complete
from daoqi_tui.i18n import _, language, name_in_language, plural, translate
from daoqi_tui.paths import assets_folder, is_folder, is_there, typed_path
from daoqi_tui.play.keeper import check_target
from daoqi_tui.play.wording import Unable, brief_result, two_sentences
from daoqi_tui.record.files import write_atomically
from daoqi_tui.record.library import Imported, Library
from daoqi_tui.record.library_index import LibraryEntry, Query, entry_of
from daoqi_tui.record.sgf.read import load
from daoqi_tui.record.sgf.write import dump_portable
from daoqi_tui.record.text import SgfError
from daoqi_tui.text import plain_line
from daoqi_tui.tui.access import download, local_access
from daoqi_tui.tui.features.records.game_list import GameList, Order, listing_of, title_of
from daoqi_tui.tui.host import given
from daoqi_tui.tui.look import Paragraph
from daoqi_tui.tui.panes import KeyHint
from daoqi_tui.tui.panes.minimap import SmallBoard
from daoqi_tui.tui.screens import PathPrompt, Picker, Prompt, Question, list_repairs
from daoqi_tui.tui.screens.hinted import HintedDialog

Got = TypeVar("Got")

_PAUSE: Final = 0.08
"""The delay of the search after a key in seconds, so that typing does not wait for it."""
_BUDGET: Final = 0.1
"""Seconds after which the games read so far are listed, and the rest is read while they are shown."""
_SAMPLES: Final = "samples/"

Renamed: TypeAlias = Callable[[Path, Path, str | None, str | None], object]
"""Called with a file, its new path, and the names of Black and White, None for an unchanged name."""


class _Trashed(NamedTuple):
    """A game that was moved to the trash.

    Attributes:
        path: its path in the trash.
        own: its former path.
        was_open: whether it is the game on the board.
    """

    path: Path
    own: Path
    was_open: bool


class LibraryScreen(HintedDialog[Path | None]):
    """The list of games with a preview of their final positions; its result is the file to open."""

    BINDINGS = [  # noqa: RUF012 (Textual's form)
        Binding("escape", "close", show=False),
        Binding("down,pagedown", "to_list", show=False),
        Binding("f2,ctrl+n", "rename", show=False),
        Binding("f3,ctrl+e", "export", show=False),
        Binding("f4,ctrl+t", "import_file", show=False),
        Binding("f5,ctrl+o", "sort", show=False),
        Binding("f6,ctrl+r", "reverse", show=False),
        Binding("f8,ctrl+d", "delete", show=False),
        Binding("f9,ctrl+z", "put_back", show=False),
    ]

    list_key = "F1"  # since ? may be part of a query

    def __init__(self, library: Library, is_open: Callable[[Path], bool], renamed: Renamed) -> None:
        """Show a library.

        Args:
            library: the library, which is closed with the screen.
            is_open: returns whether a file is that of the game on the board.
            renamed: called with each game whose file or players were renamed.
        """
        super().__init__()
        self._library, self._is_open, self._renamed = library, is_open, renamed
        self._using = 0
        """The number of threads using the library, which must not be closed under them."""
        self._left = False
        self._use = Lock()
        self._entries: tuple[LibraryEntry, ...] = ()
        self._samples: tuple[tuple[LibraryEntry, str], ...] = ()
        """The games that come with the program, each with its searchable text."""
        self._order = Order()
        self._search_begun = 0
        """The number of searches started; results of outdated ones are not shown."""
        self._searched = ""
        self._changing = asyncio.Lock()
        self._trashed: list[_Trashed] = []
        """The games that were moved to the trash on this screen, the latest last."""
        self._put_back = ""
        """The message about the game that was put back last."""

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog", id="library") as dialog:
            dialog.border_title = _("Library")
            yield Input(
                placeholder=_("Search: words, white:ke, size:9, date:>2020, opening:3"), compact=True, id="search"
            )
            with Horizontal():
                yield GameList(id="games")
                with Vertical(id="preview"):
                    yield SmallBoard()
                    yield Static("", id="about")
            yield Static("", id="complaint")

    def on_mount(self) -> None:
        self.query_one("#search", Input).focus()
        self._load()

    @property
    def _is_shown(self) -> bool:
        """True until the screen is left; Textual removes the list before the screen."""
        return self.is_attached and bool(self.query(GameList))

    def key_hints(self) -> tuple[KeyHint, ...]:
        return (
            KeyHint("Enter", _("Open"), "screen.open"),
            *((KeyHint("F9", _("Put back"), "screen.put_back"),) if self._trashed else ()),
            KeyHint("F3", _("Export"), "screen.export"),
            KeyHint("F4", _("Import"), "screen.import_file"),
            KeyHint("F8", _("Delete"), "screen.delete"),
            KeyHint("F2", _("Names"), "screen.rename"),
            KeyHint("F5", _("Sort"), "screen.sort"),
            KeyHint("F6", _("Reverse the order"), "screen.reverse"),
            KeyHint("Esc", _("Close"), "screen.close"),
        )

    # Listing

    @work(exclusive=True, group="load")
    async def _load(self, said: str = "") -> None:
        self._samples = await asyncio.to_thread(_sample_entries)
        while True:
            listing = await self._with_library(lambda library: library.games(_BUDGET))
            if listing is None:
                return
            self._entries = (*listing.entries, *(entry for entry, _searched in self._samples))
            # A search that is still to come for what was typed would replace the message.
            self.workers.cancel_group(self, "search")
            await self._search()
            if text := said or translate(listing.problem or ""):
                self.complain(text)
            if not listing.unread:
                return
            self.complain(plural("{count} game is not read yet", "{count} games are not read yet", listing.unread))

    async def _with_library(self, use: Callable[[Library], Got]) -> Got | None:
        def run() -> Got:
            with self._use:
                self._using += 1
            try:
                return use(self._library)
            finally:
                with self._use:
                    self._using -= 1
                    self._close_if_left()

        try:
            return await asyncio.to_thread(run)
        except (OSError, SgfError) as error:
            self.complain(translate(error))
            return None

    def on_unmount(self) -> None:
        with self._use:
            self._left = True
            self._close_if_left()

    def _close_if_left(self) -> None:
        if self._left and not self._using:
            self._library.close()

    @on(Input.Changed, "#search")
    @work(exclusive=True, group="search")
    async def _search_soon(self) -> None:
        await asyncio.sleep(_PAUSE)
        await self._search()

    async def _search(self) -> None:
        self._search_begun += 1
        begun = self._search_begun
        text = self.query_one("#search", Input).value
        if not text.strip():
            found: tuple[LibraryEntry, ...] = self._entries
        else:
            own = [entry for entry in self._entries if not entry.file.startswith(_SAMPLES)]
            found = await self._with_library(lambda library: library.search(text, own)) or ()
            query = Query.parse(text)
            found += tuple(
                entry
                for entry, searched in self._samples
                if query.holds(entry) and all(word in searched for word in query.words)
            )
        listing = await asyncio.to_thread(listing_of, found, self._order)
        if begun == self._search_begun and self._is_shown:
            self._searched = text
            self.query_one(GameList).show(listing)
            self.complain(plural("{count} game", "{count} games", len(found)))

    async def _found(self) -> LibraryEntry:
        """Return the highlighted game, of what is typed; to be called in a worker, which ends if there is none."""
        while self._is_shown and self.query_one("#search", Input).value != self._searched:
            await self._search()
        # The screen may have been closed meanwhile, or shows a question.
        return given(self.query_one(GameList).highlighted if self._is_shown and self.is_current else None)

    def on_game_list_heading_clicked(self, message: GameList.HeadingClicked) -> None:
        self._sort(self._order.by(message.column))

    def action_sort(self) -> None:
        self._sort(self._order.following)

    def action_reverse(self) -> None:
        self._sort(self._order.by(self._order.column))

    def _sort(self, order: Order) -> None:
        self._order = order
        self._search_soon()

    def on_game_list_highlighted(self, message: GameList.Highlighted) -> None:
        entry = message.entry
        self.query_one(SmallBoard).show(entry.stones() if entry is not None else b"")
        self.query_one("#about", Static).update(self._about(entry) if entry is not None else "")

    def _about(self, entry: LibraryEntry) -> Paragraph:
        return Paragraph(Text(_details(entry)), self)

    # Choosing

    @on(GameList.Chosen)
    @on(Input.Submitted, "#search")
    @work(exclusive=True, group="open")
    async def action_open(self) -> None:
        entry = await self._found()
        if entry.problem:
            self.complain(translate(entry.problem))
        else:
            self.dismiss(self._path_of(entry))

    def _path_of(self, entry: LibraryEntry) -> Path:
        if entry.file.startswith(_SAMPLES):
            return _samples_folder() / entry.file.removeprefix(_SAMPLES)
        return self._library.path(entry.file)

    def action_to_list(self) -> None:
        self.query_one(GameList).focus()

    # Changing

    async def _own(self) -> LibraryEntry:
        """Return the highlighted game, to be changed; to be called in a worker, which ends if it is a sample."""
        entry = await self._found()
        if entry.file.startswith(_SAMPLES):
            self.complain(_("Sample games cannot be changed: export one to get your own copy"))
            raise CancelledError
        return entry

    @work(exclusive=True, group="change")
    async def action_rename(self) -> None:
        entry = await self._own()
        black = given(await self.app.push_screen_wait(Prompt(_("Black: "), entry.black, str.strip)))
        white = given(await self.app.push_screen_wait(Prompt(_("White: "), entry.white, str.strip)))
        names = black or None, white or None

        def follow(renamed: Path) -> str:
            self._renamed(renamed.with_name(entry.file), renamed, *names)
            if self._is_shown:
                self.query_one(GameList).rename(entry.file, renamed.name)
            return ""

        await self._change(lambda library: library.rename(entry.file, black=names[0], white=names[1]), follow)

    @work(exclusive=True, group="change")
    async def action_export(self) -> None:
        entry = await self._found()
        usual = plain_line(Path(entry.file).name)
        access = local_access(self.app)
        typed, target = "", Path()

        def read(name: str) -> Path:
            nonlocal typed
            typed = name
            return _new_file(name.strip() or usual, usual)

        question = _(
            "Export for programs that know only flat boards? Setup stones are added where the boards would differ."
        )
        kind = None
        while kind is None:
            if access is not None:
                prompt = PathPrompt(access, _("Export to: "), usual, read, typed=typed)
                target = given(await self.app.push_screen_wait(prompt))
            kinds = Picker(
                _("Export"), question, (_("Flat"), _("Torus")), choose=_("Export (Enter)"), leave=_("Go back (Esc)")
            )
            kind = await self.app.push_screen_wait(kinds)
            if access is None:
                kind = given(kind)
        try:
            data = await asyncio.to_thread(_exported, self._path_of(entry), portable=kind == 0)
            if access is None:
                download(self.app, usual, data)
                self.complain(_("{file} was sent to the browser's downloads").format(file=usual))
                return
            self.complain(await asyncio.to_thread(_write_new, target, data))
        except (OSError, SgfError) as error:
            self.complain(translate(error))

    @work(exclusive=True, group="change")
    async def action_import_file(self) -> None:
        access = local_access(self.app)
        if access is None:
            self.complain(_("In a browser, import a game by pasting SGF over the board"))
            return
        prompt = PathPrompt(access, _("Import: "), _("a file or a folder"), _read_source)
        source = given(await self.app.push_screen_wait(prompt))

        def follow(imported: Imported) -> str:
            text = plural("{count} game imported", "{count} games imported", len(imported.files))
            told = (*imported.problems, *imported.repairs)
            if len(told) > 1:
                list_repairs(self.app, told)
            return two_sentences(text, translate(told[0])) if told else text

        await self._change(
            lambda library: library.import_below(source) if is_folder(source) else library.import_files([source]),
            follow,
        )

    @work(exclusive=True, group="change")
    async def action_delete(self) -> None:
        entry = await self._own()
        question = f"{plain_line(title_of(entry))}\n\n" + _("Move this game to the library's trash folder?")
        if not await self.app.push_screen_wait(Question(question, _("Move it"), _("Keep"))):
            return

        def follow(trashed: Path) -> str:
            own = self._path_of(entry)
            self._trashed.append(_Trashed(trashed, own, self._is_open(own)))
            if self._is_shown:
                self.query_one(GameList).drop(entry.file)
                self.show_hints()
            return _("Moved to the trash folder: F9 puts it back")

        await self._change(lambda library: library.delete(entry.file), follow)

    @work(exclusive=True, group="change")
    async def action_put_back(self) -> None:
        """Put back the game moved to the trash last; with none left, repeat the last message."""

        def put_back(library: Library) -> tuple[_Trashed, Path] | tuple[()]:
            # Looked up only here, after earlier changes: a deletion, or putting back the same game.
            if not self._trashed:
                return ()
            trashed = self._trashed[-1]
            return trashed, library.restore(trashed.path, trashed.own.name)

        def follow(done: tuple[_Trashed, Path] | tuple[()]) -> str:
            if not done:
                return self._put_back or _("No game was moved to the trash folder since the library was opened")
            trashed, restored = done
            self._trashed.remove(trashed)
            if trashed.was_open and restored != trashed.own:
                self._renamed(trashed.own, restored, None, None)
            if self._is_shown:
                self.show_hints()
            self._put_back = _("Put back: {file}").format(file=plain_line(restored.name))
            return self._put_back

        await self._change(put_back, follow)

    async def _change(self, change: Callable[[Library], Got], follow: Callable[[Got], str]) -> None:
        """Change the library, pass the result to ``follow``, and list the games with the message that this returns.

        The thread cannot be cancelled, so the change is completed even if the next key, or leaving the screen, has
        cancelled the worker; the next key's change comes after it.
        """

        async def changed() -> None:
            async with self._changing:
                done = await self._with_library(change)
                if done is not None:
                    text = follow(done)
                    if self._is_shown:
                        self._load(text)

        await complete(changed())


def _details(entry: LibraryEntry) -> str:
    black, white = name_in_language(entry.black), name_in_language(entry.white)
    lines = [entry.name, black and f"● {black}", white and f"○ {white}"]
    lines += [" ".join(filter(None, (entry.date, brief_result(entry.result)))), translate(entry.problem or "")]
    return "\n".join(line for line in lines if line)


def _samples_folder() -> Path:
    return assets_folder() / "games" / language()


def _sample_entries() -> tuple[tuple[LibraryEntry, str], ...]:
    try:
        files = sorted(_samples_folder().glob("*.sgf"))
        return tuple(entry_of(f"{_SAMPLES}{file.name}", 0, file.read_bytes()) for file in files)
    except OSError:
        return ()


def _exported(source: Path, *, portable: bool) -> bytes:
    """Return a record as it is, or converted for flat boards.

    Raises:
        OSError: the file cannot be read.
        SgfError: it is not a readable record.
    """
    if not portable:
        return source.read_bytes()
    loaded = load(source)
    return dump_portable(loaded.game, loaded.info)


def _new_file(name: str, usual: str) -> Path:
    """Return the path that a name means, in a folder that of a file with the ``usual`` name.

    Raises:
        Unable: nothing can be written there, or there is a file already.
    """
    path = typed_path(name)
    if is_folder(path):
        path /= usual
    check_target(path)
    if is_there(path):
        raise Unable(_("{file} already exists: choose another name"), file=path)
    return path


def _write_new(target: Path, data: bytes) -> str:
    """Write a new file, unless it exists; return a message.

    Raises:
        OSError: the file cannot be written.
    """
    if is_there(target):
        return _("{file} already exists: choose another name").format(file=target)
    write_atomically(target, data)
    return _("Exported to {file}").format(file=target)


def _read_source(name: str) -> Path:
    name = name.strip()
    if not (name and is_there(typed_path(name))):
        raise Unable(_("There is no such file or folder: {file}"), file=name)
    return typed_path(name)
