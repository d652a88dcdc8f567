// The game in sentences.

import { BLACK, WHITE, area } from "./torus.js";
import { _, plural } from "./words.js";

const REQUESTS = {
  undo: () => _("undo"),
  pause: () => _("pause the clock"),
  adjourn: () => _("adjourn the game"),
  continue: () => _("continue the game"),
  rematch: () => _("a rematch with colours changed"),
};

export function sideWord(role) {
  return { black: _("Black"), white: _("White") }[role] ?? _("Spectator");
}

export function colourWord(colour) {
  return sideWord(colour === BLACK ? "black" : "white");
}

// Names are the same for nobody: the role behind them says who speaks.
export function speaker({ name, role }) {
  return name ? _("{name} ({role})", { name, role: sideWord(role) }) : sideWord(role);
}

export function moveText(torus, number, colour, move, removed) {
  const words = { number, colour: colourWord(colour), move: moveName(torus, move) };
  const text = _("Move {number}: {colour} {move}.", words);
  return removed ? `${text} ${plural("{count} stone captured.", "{count} stones captured.", removed)}` : text;
}

export function moveName(torus, move) {
  return move === "pass" ? _("pass") : torus.name(torus.parse(move, "gtp"));
}

export function requestText({ what, by }, role) {
  const asked = { what: REQUESTS[what]() };
  const words = by === role || role === "spectator" ? _("Requested: {what}.", asked) : "";
  return words || _("The opponent requests: {what}.", asked);
}

export function declinedText({ what, by }, request, role) {
  const words = { what: REQUESTS[what]() };
  if (request?.by === by) return _("Withdrawn: {what}.", words);
  const declined = by === role || role === "spectator" ? _("Declined: {what}.", words) : "";
  return declined || _("The opponent declined: {what}.", words);
}

export function phaseText(line) {
  const { state, role } = line;
  switch (state.phase) {
    case "waiting":
      return _("Waiting for the guest.");
    case "paused":
      return _("The clock is paused.");
    case "adjourned":
      return _("The game is adjourned.");
    case "counting":
      if (role === "spectator") return _("counting");
      if (state.agreed.includes(role)) return _("You agree; the opponent has not yet.");
      if (state.agreed.length) return _("The opponent agrees to the count.");
      return _("Mark the dead stones, then agree.");
    case "over":
      return _("The game is over. {result}.", { result: resultText(state.result) });
    default:
      return "";
  }
}

function resultText(result) {
  const [, letter, how] = /^([BW])\+(.*)$/.exec(result) ?? [];
  if (!letter) return _("Equal: the game is drawn");
  const winner = colourWord(letter === "B" ? BLACK : WHITE);
  const loser = colourWord(letter === "B" ? WHITE : BLACK);
  if (how === "R") return _("{loser} resigns: {winner} wins", { loser, winner });
  if (how === "T") return _("{loser} ran out of time: {winner} wins", { loser, winner });
  if (how !== "0") return _("{winner} wins by {points}", { winner, points: how });
  return letter === "B" ? _("Equal: Black wins a tie") : _("Equal: White wins a tie");
}

// The score with the stones that are marked as dead; also the owners of the points, to be drawn.
export function count(terms, position, dead) {
  const { owners, points } = area(position.torus, position.colours, dead);
  const total = [BLACK, WHITE].map((colour) => points[colour] - terms.passCost * position.passes[colour]);
  total[1] += terms.komi;
  const lead = total[0] - total[1];
  const words = { black: pointsText(total[0]), white: pointsText(total[1]), margin: marginText(terms, lead) };
  return { owners, text: _("Black {black}, White {white}: {margin}", words) };
}

function marginText(terms, lead) {
  if (lead) return _("{colour} by {points}", { colour: colourWord(lead > 0 ? BLACK : WHITE), points: pointsText(Math.abs(lead)) });
  if (terms.tie === "black") return _("Equal: Black wins a tie");
  return terms.tie === "white" ? _("Equal: White wins a tie") : _("Equal: the game is drawn");
}

function pointsText(points) {
  return String(Math.round(points * 10000) / 10000);
}

export function warningText({ side, seconds }, role) {
  const minutes = Math.max(1, Math.ceil(seconds / 60));
  const time =
    minutes < 120
      ? plural("{count} minute", "{count} minutes", minutes)
      : plural("{count} hour", "{count} hours", Math.ceil(minutes / 60));
  if (side === role)
    return _("You were away and are warned: play on within {time}, or the opponent may claim the win.", { time });
  if (seconds > 0) return _("The absent side is warned: the win can be claimed in {time}.", { time });
  return _("The absent side was warned: the win can be claimed.");
}

// What changed between two states besides the moves.
export function* presenceNews(before, state, role) {
  for (const side of ["black", "white"]) {
    const name = state[side] || sideWord(side);
    const [was, is] = [before, state].map(({ present }) => present.includes(side));
    if (is && !was && side !== role) yield _("{name} is here.", { name });
    if (was && !is) {
      const timed = state.clock && state.phase === "playing";
      yield timed
        ? _("{name} has lost the connection; the clock runs on.", { name })
        : _("{name} has lost the connection.", { name });
    }
    const [heard, hears] = [before, state].map(({ listening }) => listening.includes(side));
    if (hears && !heard) yield _("{name} hears what spectators say.", { name });
    if (heard && !hears) yield _("{name} no longer hears what spectators say.", { name });
  }
  if (state.spectators !== before.spectators) yield _("Spectators: {count}.", { count: state.spectators });
}

export function pointText(position, point) {
  const colour = position.colours[point];
  return `${position.torus.name(point)} ${colour ? colourWord(colour) : _("empty")}`;
}

// All stones by name, for whoever does not see the board.
export function stonesText({ torus, colours }) {
  return [BLACK, WHITE]
    .map((colour) => {
      const names = [...colours.keys()].filter((point) => colours[point] === colour).map((point) => torus.name(point));
      return _("{colour}: {points}.", { colour: colourWord(colour), points: names.join(" ") || "–" });
    })
    .join("\n");
}
