"""Playing: stones, passes, resignation, the end of the game, and the computer players."""

from __future__ import annotations

from functools import partial

from daoqi_tui.engine import BLACK, PASS, WHITE, GameOver
from daoqi_tui.i18n import _
from daoqi_tui.pictures.picture import Picture
from daoqi_tui.play.evaluation import Clarity, EvaluatedMove
from daoqi_tui.play.events import WHY_DECLINED, Declined
from daoqi_tui.play.wording import Unable, colour_word, describe_margin, describe_refusal, describe_sum, with_keys
from daoqi_tui.tui.features.counting import Counting
from daoqi_tui.tui.host import Feature, Handlers, Host, given


class Teaching(Feature):
    """Teach mode: asks about a move that lost much, beside the board with the line that would have been better."""

    def __init__(self, host: Host) -> None:
        super().__init__(host)
        self.active = False

    def handlers(self) -> Handlers:
        return {"teach": self.toggle}

    def decorate(self, picture: Picture) -> Picture:
        evaluated = self.match.turns.questioned
        if evaluated is None or evaluated.node is not self.view.node or evaluated.node.parent is None:
            return picture
        from daoqi_tui.play.hints import BestMoves  # noqa: PLC0415 (most games are played without)

        best = BestMoves(evaluated.node.parent, evaluated.mover, evaluated.before)
        return best.shown_on(picture, self.view.torus, Clarity.MOVE, PASS)

    async def ask_about_move(self, evaluated: EvaluatedMove) -> None:
        from daoqi_tui.play.review import describe_why  # noqa: PLC0415 (most games are played without)
        from daoqi_tui.tui.screens import SideQuestion  # noqa: PLC0415

        match = self.match
        if match.turns.questioned is not evaluated:
            return
        self.active = True
        self.host.show_board()
        self.host.show_status()
        text = describe_why(evaluated, self.match.game.torus, self.host.options.names)

        def question() -> str:
            return text if match.turns.questioned is evaluated else ""

        answers = ("u", _("Undo"), True), ("k", _("Keep the move"), False)
        back = await self.host.questions.answer_to(SideQuestion(question, answers, left=False))
        if match.turns.questioned is not evaluated:
            return
        if back:
            match.undo()
        else:
            match.turns.keep_move()
            self.host.show_board()

    def toggle(self) -> None:
        from daoqi_tui.play.analyst import TEACH_FROM, describe_teaching  # noqa: PLC0415 (most games are played without)

        if self.host.online is not None:
            raise Unable(_("There is no teach mode in online games"))
        before = self.host.options
        after = before._replace(teach=0 if before.teach else TEACH_FROM)
        self.host.program.apply_options(after)
        self.host.program.keep(before, after)
        self.say(describe_teaching(after.teach) if after.teach else _("Teach mode off"))


class Playing(Feature):
    """The moves of the persons at this keyboard, and what they ask of the computers."""

    def __init__(self, host: Host, counting: Counting, teaching: Teaching) -> None:
        super().__init__(host)
        self._counting, self._teaching = counting, teaching

    def handlers(self) -> Handlers:
        return {
            "play": lambda: self.play_at(self.host.cursor.point),
            "pass": self.pass_turn,
            "type_move": self.asking(self.type_move),
            "undo": self.undo,
            "redo": self.redo,
            "resign": self.asking(self.resign),
            "result": self.asking(self.show_card),
            "resume": self.resume,
            "players": self.asking(self.choose_players),
            "pause": self.pause,
            "step": self.move_now,
            "engine_log": self.show_engine_log,
        }

    def clear(self) -> bool:
        """Have the thinking computer move at once; return whether one is thinking."""
        thinks = self.match.turns.thinking is not None
        if thinks:
            self.match.turns.hurry()
        return thinks

    def play_at(self, point: int) -> None:
        if self._counting.marking:
            self._counting.toggle_dead(point)
            return
        refusal = self.match.play(point)
        if isinstance(refusal, Declined):
            self._say_declined(refusal)
        elif refusal is not None:
            self.host.refuse(point, describe_refusal(refusal, self.match.game.torus, self.host.options.names))

    def pass_turn(self) -> None:
        if self.match.turns.thinking is not None or self.match.turns.questioned is not None:
            self._say_thinking()
        else:
            self.host.questions.run(self._pass)

    def _say_declined(self, reason: Declined) -> None:
        """Say why a command did nothing: in an online game by its state, in others mostly who is thinking."""
        if self.host.online is not None:
            self.say(self.host.online.why(reason))
        elif reason in WHY_DECLINED:
            self.say(_(WHY_DECLINED[reason]))
        else:
            self._say_thinking()

    def _say_thinking(self) -> None:
        thought, questioned = self.match.turns.thinking, self.match.turns.questioned
        if questioned is not None:
            self.host.questions.run(partial(self._teaching.ask_about_move, questioned))
        elif thought is not None:
            text = _("{name} is thinking: {clear} makes it move now, {undo} undoes your move")
            self.say(with_keys(text, name=thought.name))

    async def _pass(self) -> None:
        """Pass; ask first when that would end the game."""
        game = self.match.game
        if game.is_over:
            raise self._over()
        node = game.node
        if (
            self.match.awaits_person
            and node.passes_in_row == 1
            and not node.resumed
            and not await self._agreed_to_end()
        ):
            return
        if game.node is node and not game.is_over:
            declined = self.match.pass_turn()
            if isinstance(declined, Declined):
                self._say_declined(declined)

    async def _agreed_to_end(self) -> bool:
        game = self.match.game
        game.board.pass_turn()
        area = game.area()
        game.board.undo()
        text = "\n".join(
            (
                _("Passing again ends the game with this score:"),
                "",
                f"● {describe_sum(area, BLACK)}",
                f"○ {describe_sum(area, WHITE)}",
                describe_margin(area),
                "",
                _("(stones + territory − passes; all stones on the board count as alive)"),
            )
        )
        node = game.node

        def question() -> str:
            over = game.is_over or self.match.resigning is None
            return text if game is self.match.game and game.node is node and not over else ""

        return await self.host.questions.ask(question, _("Pass and end"), _("Keep playing"))

    def _over(self) -> Unable:
        if self.host.online is not None:
            return Unable(self.host.online.why(Declined.NOT_NOW))
        return Unable(with_keys(_("The game is over: {resume} resumes it, {new_game} starts a new one")))

    async def type_move(self) -> None:
        from daoqi_tui.tui.screens import Prompt  # noqa: PLC0415 (dialogs cost a start 10 ms)

        torus, style = self.match.game.torus, self.host.options.names
        example = torus.name(torus.point(torus.size // 2, torus.size // 2), style)
        hint = _("{point}, or pass").format(point=example)
        point = given(await self.host.questions.answer_to(Prompt(_("Move: "), hint, self._read_move)))
        if point == PASS:
            self.pass_turn()
        else:
            self.host.cursor.put(point)
            self.play_at(point)

    def _read_move(self, typed: str) -> int:
        game, style = self.match.game, self.host.options.names
        if typed.strip().lower() == "pass":
            return PASS
        torus = game.torus
        try:
            point = torus.parse(typed, style)
        except ValueError:
            first, last = torus.name(torus.points - torus.size, style), torus.name(torus.size - 1, style)
            wrong = _("That is not a point: type a name from {first} to {last}, or pass")
            raise Unable(wrong, first=first, last=last) from None
        # While dead stones are marked, it marks a chain; ``play_at`` reports if there is none.
        if not self._counting.marking and (refusal := game.refusal(point)) is not None:
            raise Unable(describe_refusal(refusal, torus, style))
        return point

    def undo(self) -> None:
        if self.host.step_shown(-1):
            return
        self.host.stop_replay()
        undone = self.match.undo()
        if isinstance(undone, Declined):
            self._say_declined(undone)
        elif undone is not None:
            self.say(_("Undone: {edit}").format(edit=undone.label))
        elif self.host.online is None and not self.match.persons:
            self._say_waiting()

    def redo(self) -> None:
        if self.host.step_shown(1):
            return
        self.host.stop_replay()
        redone = self.match.redo()
        if isinstance(redone, Declined):
            self.say(_("There are no more moves"))
        elif redone is not None:
            self.say(_("Redone: {edit}").format(edit=redone.label))

    async def resign(self) -> None:
        loser = self.match.resigning
        if loser is None:
            raise self._over()
        text = _("Resign as {colour}?").format(colour=colour_word(loser))

        def question() -> str:
            return "" if self.match.resigning is None else text

        if await self.host.questions.ask(question, _("Resign"), _("Keep playing")):
            self.match.resign(loser)

    async def show_card(self) -> None:
        from daoqi_tui.play.review import summary  # noqa: PLC0415 (a game has to end first)
        from daoqi_tui.tui.features.playing.result import ResultScreen  # noqa: PLC0415

        game, end = self.match.game, self.match.session.front or self.match.variations.line[-1]
        if not end.is_over:
            end = game.node
        found = summary(self.match.session, end, self.match.evaluations, self.host.options.names, self.match.rated)
        if found is None:
            raise Unable(with_keys(_("The game is not over yet: {count} shows the score as it stands")))
        online = self.host.online is not None
        card = ResultScreen(found, game, end, self.match.evaluations, online=online)
        command = given(await self.host.questions.answer_to(card))
        # Later, since other questions wait until this one has been handled.
        self.host.call_later(self.host.action_command, command)

    def resume(self) -> None:
        declined = self.match.resume()
        if declined is not None:
            self._say_declined(declined)

    async def choose_players(self) -> None:
        from daoqi_tui.tui.screens.setup import PlayersChoice, PlayersScreen  # noqa: PLC0415 (forms cost 20 ms)

        session = self.match.session
        chosen = given(await self.host.questions.answer_to(PlayersScreen(PlayersChoice.of(session))))
        if session is self.match.session:
            await self.match.seat(chosen.black, chosen.white, resigns=chosen.resigns)
            self.host.note_players()

    def pause(self) -> None:
        match = self.match
        if self.host.online is not None:
            self.host.online.pause()
        elif len(match.persons) == 2:
            self.say(with_keys(_("Two humans play: {players} adds a computer")))
        elif match.turns.paused:
            match.unpause()
            self.host.show_position()
        else:
            match.pause()
            self._say_waiting()

    def _say_waiting(self) -> None:
        self.say(with_keys(_("The computers are paused: {pause} resumes them, {step} makes one move")))

    def move_now(self) -> None:
        if isinstance(self.match.move_now(), GameOver):
            raise self._over()

    async def show_engine_log(self) -> None:
        from daoqi_tui.tui.screens import EngineLog  # noqa: PLC0415

        match = self.match
        engines = match.turns.players.engines() if match.turns.has_players else ()
        if engines:
            await self.host.app.push_screen(EngineLog(engines))
        else:
            self.say(_("No GTP engine has played here yet"))
