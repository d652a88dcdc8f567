"""Editing a record: its variations, notes and information, with undo.

Each operation makes one :class:`Edit`, a value that says what it changes; its inverse undoes it.

>>> from daoqi_tui.play.session import Session
>>> session = Session()
>>> editor = Editor(session)
>>> for point in (40, 41, 42):
...     node = session.game.play(point)
>>> session.game.goto(session.game.root.children[0])
>>> _ = editor.delete()
>>> [node.number for node in session.game.root.walk()]
[0]
>>> _ = editor.undo()
>>> [node.number for node in session.game.root.walk()]
[0, 1, 2, 3]
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

from daoqi_tui.engine import Action, Ending, Move, Node, Rules, Setup
from daoqi_tui.engine.tree import arrange
from daoqi_tui.i18n import N_, _, plural
from daoqi_tui.play.session import GameDetails, Session
from daoqi_tui.play.wording import Unable
from daoqi_tui.text import plain_line

if TYPE_CHECKING:
    from daoqi_tui.record.sgf.info import Info

EditKind: TypeAlias = Literal["delete", "cut", "paste", "promote", "flatten", "notes", "information"]
Notes: TypeAlias = dict[str, list[str]] | None


LABELS: Final[dict[EditKind, str]] = {
    "delete": N_("Delete variation"),
    "cut": N_("Cut variation"),
    "paste": N_("Paste variation"),
    "promote": N_("Make main line"),
    "flatten": N_("Keep this line alone"),
    "notes": N_("Notes"),
    "information": N_("Game information"),
}
INFORMATION: Final[dict[str, str]] = {
    "black": N_("Black's name"),
    "black_rank": N_("Black's rank"),
    "white": N_("White's name"),
    "white_rank": N_("White's rank"),
    "event": N_("Event"),
    "round": N_("Round"),
    "place": N_("Place"),
    "date": N_("Date"),
    "result": N_("Result"),
}
"""The fields of :class:`~daoqi_tui.record.sgf.info.Info` that can be edited, with their labels."""
_DONE: Final[dict[EditKind, str]] = {
    "paste": N_("Variation pasted"),
    "promote": N_("This is the main line now"),
    "flatten": N_("All other variations are deleted"),
    "notes": N_("Notes changed"),
    "information": N_("Game information changed"),
}


class Edit(NamedTuple):
    """A change of a record; each pair has what was before and what is after.

    Attributes:
        kind: the operation.
        nodes: the current node; for notes the node they belong to.
        fronts: the node from which the game continues.
        children: nodes, each with its children before and after.
        notes: the properties of the node.
        details: the game information, komi and rules.
    """

    kind: EditKind
    nodes: tuple[Node, Node]
    fronts: tuple[Node | None, Node | None]
    children: tuple[tuple[Node, tuple[Node, ...], tuple[Node, ...]], ...] = ()
    notes: tuple[Notes, Notes] | None = None
    details: tuple[GameDetails, GameDetails] | None = None

    @property
    def label(self) -> str:
        return _(LABELS[self.kind])

    @property
    def annotates(self) -> bool:
        """True if it changes what lists of moves show."""
        from daoqi_tui.record.sgf.markup import ANNOTATIONS  # noqa: PLC0415 (a start reads no record)

        before, after = self.notes or (None, None)
        return any((before or {}).get(name) != (after or {}).get(name) for name, _value, _sign in ANNOTATIONS.values())

    def describe(self) -> str:
        """Say what it has done."""
        if self.kind not in ("delete", "cut"):
            return _(_DONE[self.kind])
        ((_parent, before, after),) = self.children
        gone = next(child for child in before if child not in after)
        moves = sum(node.move is not None for node in gone.walk())
        return plural("{count} move deleted", "{count} moves deleted", moves) if moves else _("Setup deleted")

    @property
    def inverse(self) -> "Edit":
        return Edit(
            self.kind,
            self.nodes[::-1],
            self.fronts[::-1],
            tuple((node, after, before) for node, before, after in self.children),
            self.notes and self.notes[::-1],
            self.details and self.details[::-1],
        )


class _Copied(NamedTuple):
    """A copied node: the place of its parent among those copied, from 1, or 0 for none, and its contents."""

    parent: int
    action: Action
    ending: Ending | None
    properties: Notes


class Editor:
    """Edits one session after another; what was copied in one can be pasted in the next.

    An operation returns what it did, or raises :class:`~daoqi_tui.play.wording.Unable`, and changes nothing.
    """

    def __init__(self, session: Session) -> None:
        self._copied: Sequence[_Copied] = ()
        self._copied_size = 0
        self.begin(session)

    def begin(self, session: Session) -> None:
        self._session = session
        self._done: list[tuple[Edit, int]] = []
        """Each edit, and the moves played between the one before and this one."""
        self._undone: list[Edit] = []
        self._plays = 0
        """The moves played since the last edit; those have to be undone before it."""

    # Variations

    def copy(self) -> int:
        """Copy the current move with all that follows; return the number of moves."""
        node = self._here()
        if node is self._session.start:
            raise Unable(_("The start cannot be copied; go to a move"))
        places: dict[Node | None, int] = {}
        copied = []
        for step in node.walk():
            if step.action is not None:
                copied.append(_Copied(places.get(step.parent, 0), step.action, step.ending, step.properties))
                places[step] = len(copied)
        self._copied, self._copied_size = copied, self._session.game.torus.size
        return sum(isinstance(step.action, Move) for step in copied)

    def delete(self, kind: EditKind = "delete") -> Edit:
        """Delete the current move with all that follows."""
        node = self._here()
        if node is self._session.start or node.parent is None:
            raise Unable(_("The start cannot be deleted"))
        parent = node.parent
        return self._rearrange(kind, parent, {parent: tuple(child for child in parent.children if child is not node)})

    def cut(self) -> Edit:
        """Copy the current move with all that follows, and delete it."""
        self.copy()
        return self.delete("cut")

    def paste(self) -> Edit:
        """Add what was copied as a variation after the current move, and go to its first move."""
        here, game = self._here(), self._session.game
        if not self._copied:
            raise Unable(_("Nothing is copied yet; copy or cut a variation first"))
        if self._copied_size != game.torus.size:
            raise Unable(_("The copied variation is of a board of size {size}"), size=self._copied_size)
        if game.is_over:
            raise Unable(_("The game ends here; paste before its end"))
        before, nodes = here.children, [here]
        for parent, action, ending, properties in self._copied:
            game.goto(nodes[parent])
            if isinstance(action, Move) and action.colour != game.to_move:
                game.record(Setup(0, 0, 0, action.colour))
            node = game.record(action)
            node.ending, node.properties = ending, properties
            # Play goes on after two passes, as when the record is read.
            assert node.parent is not None
            node.parent.resumed |= node.parent.ends_by_passes
            nodes.append(node)
        return self._rearrange("paste", nodes[1], {here: here.children}, {here: before}, here)

    def promote(self) -> Edit:
        """Make the line through the current move the main line."""
        changed = {}
        for node in self._here().path()[1:]:
            parent = node.parent
            if parent is not None and parent.children[0] is not node:
                changed[parent] = (node, *(child for child in parent.children if child is not node))
        if not changed:
            raise Unable(_("This is the main line already"))
        return self._rearrange("promote", self._session.game.node, changed)

    def flatten(self, line: Sequence[Node]) -> Edit:
        """Delete all variations but a line through the current move."""
        changed: dict[Node, tuple[Node, ...]] = {
            node: (following,) for node, following in pairwise(line) if node.children != (following,)
        }
        if not changed:
            raise Unable(_("There are no other variations"))
        return self._rearrange("flatten", self._session.game.node, changed)

    # Notes and information

    def note(self, node: Node, change: Callable[[], object]) -> Edit | None:
        """Change the properties of a node by a function that does so; return None if they are the same after it."""
        before, front = node.properties, self._session.front
        change()
        if node.properties == before:
            # Equal ones may be in another order.
            node.properties = before
            return None
        return self._keep(Edit("notes", (node, node), (front, front), notes=(before, node.properties)))

    def describe(self, info: "Info", komi: float, rules: Rules) -> Edit:
        """Change the game information, which holds for the game as it is now, with komi and rules."""
        session, node = self._session, self._session.game.node
        before, front = session.details, session.front
        names = plain_line(info.black), plain_line(info.white)
        if rules != before.rules:
            info = replace(info, rules=str(rules))
        session.details = before._replace(info=info, black=names[0], white=names[1], komi=komi, rules=rules)
        session.trust_result()
        return self._keep(Edit("information", (node, node), (front, front), details=(before, session.details)))

    # Undo

    def played(self, moves: int) -> None:
        """Note that moves were played since the last edit, or undone if negative."""
        self._plays = max(0, self._plays + moves)
        if moves > 0:
            self._undone.clear()

    def undo(self) -> Edit | None:
        """Undo the last edit, unless moves were played since; return what that did, None if there is none."""
        if self._plays or not self._done:
            return None
        edit, self._plays = self._done.pop()
        self._undone.append(edit)
        return self._apply(edit.inverse)

    def redo(self) -> Edit | None:
        """Redo the edit that was undone last; return what that did, None if there is none."""
        if not self._undone:
            return None
        edit = self._undone.pop()
        self._done.append((edit, self._plays))
        self._plays = 0
        return self._apply(edit)

    # Internals

    def _here(self) -> Node:
        """Return the current node; for the empty root before handicap stones the node with these."""
        game, start = self._session.game, self._session.start
        if game.node is game.root:
            game.goto(start)
        return game.node

    def _rearrange(
        self,
        kind: EditKind,
        to: Node,
        after: dict[Node, tuple[Node, ...]],
        before: dict[Node, tuple[Node, ...]] | None = None,
        here: Node | None = None,
    ) -> Edit:
        """Give nodes other children, and go to a node.

        Args:
            kind: the operation.
            to: the node.
            after: the nodes with their children.
            before: their children before, if they are no longer so.
            here: the current node before, if it is no longer so.
        """
        session, front = self._session, self._session.front
        children = tuple((node, (before or {}).get(node, node.children), changed) for node, changed in after.items())
        edit = self._apply(Edit(kind, (here or session.game.node, to), (front, front), children))
        if front is not None and any(step.deleted for step in front.path()):
            session.front = to
        return self._keep(edit._replace(fronts=(front, session.front)))

    def _keep(self, edit: Edit) -> Edit:
        self._done.append((edit, self._plays))
        self._plays = 0
        self._undone.clear()
        return edit

    def _apply(self, edit: Edit) -> Edit:
        session, game, node = self._session, self._session.game, edit.nodes[1]
        if edit.children:
            game.goto(game.root)
        for parent, before, after in edit.children:
            # Moves may have been played below it since.
            known = {*before, *after}
            arrange(parent, (*after, *(child for child in parent.children if child not in known)))
        if edit.notes is not None:
            node.properties = _replaced(node.properties, *edit.notes)
        if edit.details is not None:
            session.details = edit.details[1]
        game.goto(node)
        session.front = edit.fronts[1]
        return edit


def describe_copied(moves: int) -> str:
    return plural("{count} move copied", "{count} moves copied", moves) if moves else _("Setup copied")


def _replaced(now: Notes, before: Notes, after: Notes) -> Notes:
    """Return ``after``, but with what is now other than ``before``, such as an evaluation written since."""
    if now == before:
        return after
    old, new = before or {}, after or {}
    changed = {name for name in (*old, *new) if old.get(name) != new.get(name)}
    kept = {name: values for name, values in (now or {}).items() if name not in changed}
    return kept | {name: values for name, values in new.items() if name in changed} or None
