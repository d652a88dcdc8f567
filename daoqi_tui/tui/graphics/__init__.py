"""Boards as real pictures in terminals: what a terminal can show, and the kitty graphics protocol.

Of the protocol (https://sw.kovidgoyal.net/kitty/graphics-protocol/) the basic features are used, which every terminal
that supports it has: pictures sent inside escape sequences, shown by source rectangles, and deleted by number. A part
of a picture is replaced where the terminal has the protocol's animations, as an edit of the first frame; elsewhere the
picture is sent again. :class:`Stage` tracks which pictures the terminal holds and shows, and writes only the changes.

Relative placements are of no use here: they follow the place of a picture on the screen, and a pan changes only which
part of it is shown there.
"""

import re
from base64 import standard_b64encode
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from typing import Final, Literal, NamedTuple, TypeAlias

_ASKING: Final = 31
_EDITING: Final = 30
_CHUNK: Final = 4096

_ASK_KITTY: Final = (
    f"\x1b_Gi={_EDITING},s=2,v=1,a=t,f=24,q=2;AAAAAAAA\x1b\\\x1b_Gi={_EDITING},a=c,r=1,c=1,w=1,h=1,x=1\x1b\\"
    f"\x1b_Gi={_EDITING},a=d,d=I,q=2\x1b\\"
    f"\x1b_Gi={_ASKING},s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\"
)
"""Queries whether pictures can be edited and shown.

Whether a picture can be edited is tried with one of two pixels, before the query whether pictures can be shown at all,
which is acted on as soon as it is answered.
"""
_ASK: Final = "\x1b[16t\x1b[?1016$p\x1b[c"
"""Queries how large a character is, and whether the mouse has pixels.

Every terminal answers the last query (primary device attributes), so that its answer marks the end of the others.
"""
ASK_SIXEL: Final = "\x1b[?1;1;0S\x1b[?2;4;0S\x1b[38;2;1;2;3m\x1bP$qm\x1b\\\x1b[m\x1b[c"
"""Queries the largest Sixel picture, its colours, and how text has one of all colours (DECRQSS): so how many there are.

A terminal that shows Sixel pictures knows such strings; others might print them. The device attributes mark the end of
the answers.
"""
ASK_CELL: Final = "\x1b[16t\x1b[c"
DELETE_ALL: Final = "\x1b_Ga=d,d=A,q=2\x1b\\"
"""Takes all pictures off the screen and out of the terminal's memory."""

_SIXEL: Final = "4"
"""The number for Sixel pictures in a terminal's device attributes."""
_SIXEL_ANSWER: Final = r"\x1b\[\?(?P<item>[12]);(?P<status>\d{1,3})(?P<values>(?:;\d{1,6}){0,2})S"
_SIXEL_COLOURS: Final = 256
"""The number of colours of a Sixel picture where the terminal does not report it."""
_ANSWERS: Final = (
    r"\x1b_G(?P<graphics>[^\x1b\x07]*)(?:\x1b\\|\x07)"
    r"|\x1b\[6;(?P<height>\d{1,5});(?P<width>\d{1,5})t"
    r"|\x1b\[\?1016;(?P<pixels>\d)\$y"
    r"|\x1bP[01]\$r(?P<style>[\d;:]{0,60})m?\x1b\\"
    r"|\x1b\[\?(?P<kind>[\d;]{0,60})c|" + _SIXEL_ANSWER
)
_BEGUN: Final = r"\x1b_G[^\x1b\x07]*\x1b?\Z"
"""An unfinished answer about pictures at the end of the input; no key begins like that."""
_MAY_BEGIN: Final = (
    r"\x1b(?:_|P(?:[01](?:\$(?:r[\d;:]{0,60}m?\x1b?)?)?)?|\[(?:6(?:;[\d;]{0,12})?|\?[\d;]{0,60}\$?)?)?\Z"
)
"""Possibly an unfinished answer of another kind, or a key."""
_COLOUR: Final = r"(?:^|;)38[;:]([25])"
"""The foreground in an answer about the style of text: any colour, or the nearest one of 256."""
_PATIENCE: Final = 9
"""The number of calls of :meth:`Answers.give_up` after which an unfinished answer about pictures is dropped."""
_LONGEST: Final = 1 << 16
"""The maximum length of an unfinished answer in characters; of a longer one only its introducer is kept."""


class Sixel(NamedTuple):
    """A terminal's limits for Sixel pictures; None where it has not reported them.

    Attributes:
        colours: the maximum number of colours of a picture.
        largest: the maximum width and height of a picture in pixels.
    """

    colours: int | None = None
    largest: tuple[int, int] | None = None

    @property
    def most(self) -> int:
        """The maximum number of colours of a picture, 256 if not reported."""
        return self.colours or _SIXEL_COLOURS

    def then(self, answer: "Sixel") -> "Sixel":
        return Sixel(answer.colours or self.colours, answer.largest or self.largest)


class Answer(NamedTuple):
    """The replies of a terminal about itself.

    Attributes:
        graphics: whether it shows pictures; None if this answer is about something else.
        edits: whether it edits pictures that it holds.
        cell: the width and height of a character in pixels.
        pixels: whether it can report the mouse position in pixels.
        sixel: its limits for Sixel pictures; None if it shows none.
        colours: how many colours text can have, as Rich names them, ``truecolor`` or ``256``; None if it has not said.
        ended: whether this is the last answer.
    """

    graphics: bool | None = None
    edits: bool | None = None
    cell: tuple[int, int] | None = None
    pixels: bool | None = None
    sixel: Sixel | None = None
    colours: Literal["truecolor", "256"] | None = None
    ended: bool = False

    def then(self, answer: "Answer") -> "Answer":
        return Answer(
            self.graphics if answer.graphics is None else answer.graphics,
            self.edits if answer.edits is None else answer.edits,
            answer.cell or self.cell,
            self.pixels if answer.pixels is None else answer.pixels,
            self.sixel if answer.sixel is None else (self.sixel or Sixel()).then(answer.sixel),
            answer.colours or self.colours,
            answer.ended,
        )


class Answers:
    """Separates a terminal's answers from keyboard input, so that they are never read as keys.

    Attributes:
        awaited: whether answers are pending; meanwhile an Esc is held back for a moment, since it may begin one.
    """

    def __init__(self) -> None:
        self.awaited = False
        self._begun = ""
        self._patience = _PATIENCE

    def take(self, text: str) -> tuple[str, list[Answer]]:
        """Return the keyboard input, and the answers in the text and in what was held back before.

        What may be an unfinished answer at the end of the text is held back; :meth:`give_up` returns it.
        """
        text, self._begun = self._begun + text, ""
        self._patience = _PATIENCE
        found: list[Answer] = []

        def note(match: re.Match[str]) -> str:
            found.append(_read(match))
            return ""

        left = re.sub(_ANSWERS, note, text)
        if any(answer.ended for answer in found):
            self.awaited = False
        begun = re.search(_BEGUN, left) or (re.search(_MAY_BEGIN, left) if self.awaited else None)
        if begun is not None:
            self._begun = begun[0] if len(begun[0]) < _LONGEST else "\x1b_G"
            left = left[: begun.start()]
        return left, found

    def give_up(self) -> str:
        """Return what was held back, since nothing has followed it for a moment.

        An unfinished answer about pictures cannot be a key; it is held longer and then dropped.
        """
        if self._begun.startswith("\x1b_G"):
            self._patience -= 1
            if not self._patience:
                self._begun = ""
            return ""
        begun, self._begun = self._begun, ""
        return begun


def _read(match: re.Match[str]) -> Answer:
    graphics, kind, pixels = match["graphics"], match["kind"], match["pixels"]
    if graphics is not None:
        keys, _, message = graphics.partition(";")
        fine, asked = message == "OK", keys.split(",")
        if f"i={_EDITING}" in asked:
            return Answer(edits=fine)
        return Answer(graphics=fine) if f"i={_ASKING}" in asked else Answer()
    if kind is not None:
        # Primary device attributes: the first number is the terminal's class, the others are its features.
        can_paint = _SIXEL in kind.split(";")[1:]
        return Answer(sixel=Sixel() if can_paint else None, ended=True)
    if match["item"] is not None:
        return Answer(sixel=_read_sixel(match))
    if match["style"] is not None:
        colour = re.search(_COLOUR, match["style"])
        return Answer() if colour is None else Answer(colours="truecolor" if colour[1] == "2" else "256")
    if pixels is not None:
        # DECRPM: 1 set, 2 reset, 0 not recognised, 3 and 4 permanently set and reset.
        return Answer(pixels=pixels in "12")
    return Answer(cell=(int(match["width"]), int(match["height"])))


def _read_sixel(match: re.Match[str]) -> Sixel:
    """Return the limit reported in a match of :data:`_SIXEL_ANSWER`."""
    values = [int(value) for value in match["values"].split(";") if value]
    if match["status"] != "0":
        return Sixel()
    if match["item"] == "1":
        return Sixel(colours=values[0] if values and values[0] > 1 else None)
    return Sixel(largest=(values[0], values[1]) if len(values) == 2 and all(values) else None)


def is_shared(environment: Mapping[str, str]) -> bool:
    """Return whether the terminal is tmux or screen: tmux takes Sixel pictures even where it cannot pass them on."""
    name = environment.get("TERM", "")
    return bool(environment.get("TMUX") or environment.get("STY")) or name.startswith(("screen", "tmux"))


def question(environment: Mapping[str, str]) -> str:
    """Return the queries of what a terminal can show; tmux would take those of kitty for the title of its pane."""
    return _ASK if is_shared(environment) else _ASK_KITTY + _ASK


def transmit(image: int, file: bytes) -> str:
    """Return the sequences that send a PNG file under a number, without showing it."""
    return "".join(_chunks(f"a=t,i={image},f=100,q=2", "q=2", file))


def _chunks(first: str, later: str, file: bytes) -> Iterator[str]:
    data = standard_b64encode(file).decode()
    keys = first
    for start in range(0, len(data), _CHUNK):
        more = int(start + _CHUNK < len(data))
        yield f"\x1b_G{keys},m={more};{data[start : start + _CHUNK]}\x1b\\"
        keys = later


Area: TypeAlias = tuple[int, int, int, int]
"""A part of a picture in pixels: left, top, width and height, as in Textual's ``Region``."""


def edit(image: int, file: bytes, corner: tuple[int, int], copies: Iterable[Area]) -> str:
    """Return the sequences that draw a PNG file over a part of a picture.

    Args:
        image: the number the picture was sent under.
        file: the file; nothing changes where it is transparent.
        corner: the left and top edge of the part.
        copies: the parts to which the picture's top left part is copied afterwards, one after the other.
    """
    frame = f"i={image},r=1"
    # kitty 0.26 takes later chunks for those of another frame if they do not name it.
    patch = _chunks(f"a=f,{frame},x={corner[0]},y={corner[1]},f=100,q=2", f"a=f,{frame},q=2", file)
    copied = (f"\x1b_Ga=c,{frame},c=1,x={x},y={y},w={width},h={height},C=1,q=2\x1b\\" for x, y, width, height in copies)
    return "".join((*patch, *copied))


class Placement(NamedTuple):
    """A part of a picture on the screen, in its own size or scaled over whole characters.

    Attributes:
        image: the number the picture was sent under.
        x, y: the top left corner of the part, in pixels of the picture.
        width, height: the size of the part, in pixels of the picture.
        left, top: its position on the screen, in pixels.
        level: the z-index; from 0 on, pictures cover characters, so that a dialog over a picture has to be cut out of
            it. Below 0, kitty 0.26 draws the backgrounds of characters in wrong colours.
        columns, rows: the number of characters the part is scaled to, each showing as many of its pixels; 0 for its own
            size.
    """

    image: int
    x: int
    y: int
    width: int
    height: int
    left: int
    top: int
    level: int = 0
    columns: int = 0
    rows: int = 0


def place(number: int, placement: Placement, cell: tuple[int, int]) -> str:
    """Return the sequence that shows a part of a picture; a ``number`` of that picture in use is moved instead."""
    image, x, y, width, height, left, top, level, columns, rows = placement
    column, right = divmod(left, cell[0])
    row, down = divmod(top, cell[1])
    optional = {"x": x, "y": y, "X": right, "Y": down, "c": columns, "r": rows, "z": level}
    more = "".join(f",{key}={value}" for key, value in optional.items() if value)
    return f"\x1b[{row + 1};{column + 1}H\x1b_Ga=p,i={image},p={number},w={width},h={height}{more},C=1,q=2\x1b\\"


def hide(image: int, number: int) -> str:
    """Return the sequence that takes one placement off the screen; the terminal keeps the picture."""
    return f"\x1b_Ga=d,d=i,i={image},p={number},q=2\x1b\\"


def delete(image: int) -> str:
    """Return the sequence that takes a picture off the screen and out of the terminal's memory."""
    return f"\x1b_Ga=d,d=I,i={image},q=2\x1b\\"


def in_place(sequences: Iterable[str]) -> str:
    """Join sequences that move the cursor, and restore its position after them."""
    return f"\x1b7{''.join(sequences)}\x1b8"


_MOST_KEPT: Final = 16_000_000
"""The maximum pixels of the pictures kept in the terminal without being shown, since they are likely to return.

kitty has room for 80 million, and takes those of other programs for it.
"""


class _Held(NamedTuple):
    """A picture in the terminal: its number and its pixels."""

    number: int
    pixels: int


def _pixels_of(file: bytes) -> int:
    """Return the number of pixels of a PNG file, from its header."""
    return int.from_bytes(file[16:20]) * int.from_bytes(file[20:24])


class Stage:
    """The pictures of one view.

    Args:
        write: sends text to the terminal.
        numbers: returns an unused picture number.
        edits: whether the terminal edits pictures.
        freed: called after the terminal was told to free a picture: kitty 0.26 then frees every picture that is not
            shown, those of other stages included, so that each stage has to :meth:`lose` its own.
    """

    def __init__(
        self,
        write: Callable[[str], None],
        numbers: Callable[[], int],
        *,
        edits: bool = True,
        freed: Callable[[], None] = lambda: None,
    ) -> None:
        self._write = write
        self._numbers = numbers
        self.edits: Final = edits
        self._freed = freed
        self._images: OrderedDict[Hashable, _Held] = OrderedDict()
        self._shown: dict[int, Placement] = {}
        self._passing: set[int] = set()
        """Frames of animations, which are freed as soon as they are not shown."""
        self._unsent: list[str] = []

    def image(self, key: Hashable, draw: Callable[[], bytes]) -> int:
        """Return the number of a picture; it is drawn, and sent by the next :meth:`show`, if it is new."""
        held = self._images.get(key)
        if held is None:
            file = draw()
            held = self._images[key] = _Held(self._numbers(), _pixels_of(file))
            self._unsent.append(transmit(held.number, file))
        self._images.move_to_end(key)
        return held.number

    def edit(self, image: int, file: bytes, corner: tuple[int, int], copies: Iterable[Area]) -> None:
        """Change a picture with the next :meth:`show`, as :func:`edit` does."""
        self._unsent.append(edit(image, file, corner, copies))

    def frame(self, file: bytes) -> int:
        """Return the number of a frame that the next :meth:`show` sends; it is freed as soon as it is not shown."""
        number = self._numbers()
        self._passing.add(number)
        self._unsent.append(transmit(number, file))
        return number

    def show(self, placements: Iterable[Placement], cell: tuple[int, int]) -> None:
        """Show these placements and no others; only changes are written."""
        wanted = list(placements)
        sent, self._unsent = self._unsent, []
        free = dict(self._shown)
        after: dict[int, Placement] = {}
        missing: list[Placement] = []
        by_value = {before: number for number, before in free.items()}
        for placement in wanted:
            number = by_value.pop(placement, None)
            if number is None:
                missing.append(placement)
            else:
                after[number] = placement
                del free[number]
        # A placement that moves keeps its number, so that it never appears in both places or in neither.
        for placement in missing:
            number = next((number for number, before in free.items() if before.image == placement.image), None)
            if number is None:
                number = self._free_number(after, free)
            else:
                del free[number]
            after[number] = placement
            sent.append(place(number, placement, cell))
        shown = {placement.image for placement in wanted}
        gone, self._passing = self._passing - shown, self._passing & shown
        sent.extend(hide(before.image, number) for number, before in free.items() if before.image not in gone)
        sent.extend(map(delete, sorted(gone)))
        self._shown = after
        forgotten = list(self._forget_some())
        sent.extend(forgotten)
        if sent:
            self._write(in_place(sent))
        if gone or forgotten:
            self._freed()

    @staticmethod
    def _free_number(*used: dict[int, Placement]) -> int:
        number = 1
        while any(number in each for each in used):
            number += 1
        return number

    def _forget_some(self) -> Iterable[str]:
        shown = {placement.image for placement in self._shown.values()}
        spare = [key for key, held in self._images.items() if held.number not in shown]
        kept = sum(self._images[key].pixels for key in spare)
        for key in spare:
            if kept <= _MOST_KEPT:
                return
            held = self._images.pop(key)
            kept -= held.pixels
            yield delete(held.number)

    def clear(self) -> None:
        numbers = [*(held.number for held in self._images.values()), *sorted(self._passing)]
        self._images, self._shown, self._unsent, self._passing = OrderedDict(), {}, [], set()
        if numbers:
            self._write("".join(map(delete, numbers)))
            self._freed()

    def lose(self) -> None:
        """Delete the pictures that are not shown from the terminal's memory; they are sent again when needed."""
        shown = {placement.image for placement in self._shown.values()}
        lost = [key for key, held in self._images.items() if held.number not in shown]
        if lost:
            self._write("".join(delete(self._images.pop(key).number) for key in lost))
