// The page of a game: what the server says is shown, and what a person does is asked of the server.

import { chat, news, say, sayCursor } from "./chat.js";
import { timeLeft, timeText } from "./clock.js";
import { BoardView } from "./drawing.js";
import { handlePointers } from "./input.js";
import { Line } from "./protocol.js";
import { keepSetting, setting } from "./settings.js";
import { click } from "./sound.js";
import * as story from "./story.js";
import { BLACK, EMPTY, Position, SIDES, Torus, WHITE } from "./torus.js";
import { _, plural, useWords } from "./words.js";

const page = JSON.parse(document.body.dataset.page);
useWords(page.words);

const find = (selector) => document.querySelector(selector);
const terms = page.terms;
const torus = new Torus(terms.size);
const setup = terms.setup.map((name) => torus.parse(name, "gtp"));
const view = new BoardView(find("#board"), torus);
const NARROW = 26;
const SHORT_TIME = 30;
const POINTING = 250;

// What a person sees and points at; the game itself is in `line`.
let viewed = null; // The number of moves shown, null for all.
let position = new Position(torus, setup);
let cursor = torus.point(torus.size >> 1, torus.size >> 1);
let cursorShown = false;
let hovered = null;
let chosen = null; // The point tapped once.
let pointed = null; // The opponent's cursor.
let pointing = null; // The cursor to be shown to the opponent, once the timer `sharing` is over.
let sharing = 0;
let planned = []; // The lines of conditional moves that the server has.
let note = ""; // Why the last thing could not be done.

// Settings of this browser

const settings = { sound: setting("sound", false), twice: setting("twice", null) };

// Fingers miss points that are narrower than themselves.
function tapsTwice(kind) {
  return settings.twice ?? (kind === "touch" && view.cell < NARROW);
}

// The position

function positionAfter(count) {
  const { moves } = line.state;
  const follows = position.moves.length <= count && position.moves.every((move, place) => move === moves[place]);
  if (!follows) position = new Position(torus, setup);
  for (const move of moves.slice(position.moves.length, count)) position.make(move);
  return position;
}

function shownCount() {
  return Math.min(viewed ?? Infinity, line.state.moves.length);
}

function moverNow() {
  return (line.state.moves.length + (setup.length ? 1 : 0)) % 2 ? WHITE : BLACK;
}

function isPlayer() {
  return line.role !== "spectator";
}

function isMyTurn() {
  const { state, role, pending } = line;
  return isPlayer() && state?.phase === "playing" && pending === null && SIDES[role] === moverNow();
}

// What a person does

function whyNot() {
  const { state } = line;
  if (!line.connected || state === null) return _("There is no connection at the moment.");
  if (!isPlayer()) return _("You watch this game.");
  if (line.pending !== null) return _("Your move is on its way.");
  if (state.phase !== "playing") return story.phaseText(line);
  if (!isMyTurn()) return _("It is the opponent's turn.");
  return viewed === null ? "" : _("You view an earlier move.");
}

function play(move) {
  note = whyNot();
  const point = move === "pass" ? null : torus.parse(move, "gtp");
  if (!note && point !== null && positionAfter(line.state.moves.length).colours[point] !== EMPTY)
    note = _("{point} is occupied: play on an empty point", { point: torus.name(point) });
  chosen = null;
  if (note) say(note);
  else line.play(move);
  show();
}

function choose(point) {
  if (line.state?.phase === "counting" && isPlayer()) ask({ type: "dead", point: torus.name(point, "gtp") });
  else play(torus.name(point, "gtp"));
}

function tap(point, kind) {
  cursor = point;
  cursorShown = false;
  const canPlay = !whyNot() && position.colours[point] === EMPTY;
  if (canPlay && tapsTwice(kind) && chosen !== point) {
    chosen = point;
    note = _("Tap {point} again to play there.", { point: torus.name(point) });
    show();
    return;
  }
  choose(point);
}

function ask(message) {
  note = line.send(message) ? "" : _("There is no connection at the moment.");
  show();
}

async function confirmed(question, yes) {
  const dialog = find("#question");
  find("#asked").textContent = question;
  find("#yes").textContent = yes;
  dialog.returnValue = "";
  dialog.showModal();
  await new Promise((closed) => dialog.addEventListener("close", closed, { once: true }));
  view.canvas.focus({ preventScroll: true });
  return dialog.returnValue === "yes";
}

const actions = {
  pass: () => play("pass"),
  undo: () => ask({ type: "request", what: "undo" }),
  resign: async () => (await confirmed(_("Resign the game?"), _("Resign"))) && ask({ type: "resign" }),
  pause: () => ask({ type: "request", what: "pause" }),
  adjourn: () => ask({ type: "request", what: "adjourn" }),
  claim: () => ask({ type: "claim" }),
  centre: () => {
    const last = positionAfter(shownCount()).moves.at(-1);
    if (last && last !== "pass") view.centre(torus.parse(last, "gtp"));
  },
};

function go(where) {
  const count = shownCount();
  const last = line.state?.moves.length ?? 0;
  const goal = { start: 0, back: count - 1, forward: count + 1, end: last }[where] ?? where;
  viewed = goal >= last ? null : Math.max(0, goal);
  chosen = null;
  note = "";
  show();
  if (viewed !== null || where !== "end") sayPosition();
}

function sayPosition() {
  const made = shownCount();
  if (!made) return sayCursor(_("Start of the game"));
  const { moves, mover, removed } = positionAfter(made);
  sayCursor(story.moveText(torus, made, BLACK + WHITE - mover, moves.at(-1), removed.length));
}

const keys = {
  Enter: () => choose(cursor),
  " ": () => choose(cursor),
  p: () => actions.pass(),
  u: () => actions.undo(),
  R: () => actions.resign(),
  A: () => find("#bar .main")?.click(),
  D: () => find("#bar button:not(.main)")?.click(),
  "[": () => go("back"),
  "]": () => go("forward"),
  Home: () => go("start"),
  End: () => go("end"),
  "+": () => view.zoomBy(1.25),
  "=": () => view.zoomBy(1.25),
  "-": () => view.zoomBy(0.8),
  c: () => actions.centre(),
  0: () => view.pan(-view.left, -view.top),
  "/": () => find("#say input").focus(),
};
const ARROWS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

view.canvas.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || line.state === null) return;
  const [down, right] = ARROWS[event.key] ?? [];
  if (down === undefined && !(event.key in keys)) return;
  event.preventDefault();
  // A key that is held asks for nothing again and again.
  if (event.repeat && down === undefined && !"[]+-=".includes(event.key)) return;
  if (down === undefined) keys[event.key]();
  else if (event.shiftKey) view.pan(right, down);
  else moveCursor(down, right);
});

function moveCursor(down, right) {
  const [row, column] = torus.position(cursor);
  cursor = torus.point(row + down, column + right);
  cursorShown = true;
  chosen = null;
  view.reveal(cursor);
  sayCursor(story.pointText(positionAfter(shownCount()), cursor));
  sharePoint(cursor);
  show();
}

// The server takes only so many messages; of the points that a mouse crosses, the last one counts.
function sharePoint(point) {
  pointing = point;
  if (sharing || line.state?.sharing.length !== 2 || !isPlayer()) return;
  sharing = setTimeout(() => {
    sharing = 0;
    line.send({ type: "point", point: pointing === null ? "" : torus.name(pointing, "gtp") });
  }, POINTING);
}

handlePointers(view, {
  tap,
  hover: (point) => {
    if (point === hovered) return;
    hovered = point;
    sharePoint(point);
    if (line.state !== null) showBoard();
  },
});

// What the server says

function onEvent(event) {
  const { state } = line;
  switch (event.type) {
    case "state":
      onState(event);
      break;
    case "moved":
      note = "";
      chosen = null;
      positionAfter(event.number);
      say(story.moveText(torus, event.number, SIDES[event.colour], event.move, position.removed.length));
      if (settings.sound && event.move !== "pass") click(position.removed.length > 0);
      break;
    case "chat":
      chat(story.speaker(event), event.text);
      break;
    case "declined":
      news(story.declinedText(event, state.request, line.role));
      break;
    case "pointed":
      pointed = event.point ? torus.parse(event.point, "gtp") : null;
      break;
    case "plan":
      planned = event.lines;
      note = "";
      say(planText());
      break;
    case "refused":
      note = page.reasons[event.code] ?? event.text;
      say(note);
      break;
    case "ended":
      say(page.reasons[event.code] ?? event.text);
      find("#standing").dataset.reason = page.reasons[event.code] ?? event.text;
      break;
  }
  if (state !== null || event.type === "ended" || event.type === "lost") show();
}

let before = null;

function onState(state) {
  note = "";
  if (before !== null) {
    for (const words of story.presenceNews(before, state, line.role)) news(words);
    if (before.round !== state.round) viewed = null;
    if (before.phase !== state.phase) say(story.phaseText(line));
    if (state.request && before.request === null) say(story.requestText(state.request, line.role));
    if (state.moves.length < before.moves.length) say(_("The last move was undone."));
  }
  if (state.moves.length < shownCount()) viewed = null;
  before = state;
}

// What is shown

function show() {
  showStanding();
  if (line.state === null) return;
  showBoard();
  showPlayers();
  showBar();
  showActions();
  showReplay();
  showRest();
}

function showBoard() {
  const { state, pending, role } = line;
  const shown = positionAfter(shownCount());
  const last = shown.moves.at(-1);
  const counts = viewed === null && (state.phase === "counting" || (state.phase === "over" && /\+[\d.]|^0$/.test(state.result)));
  const dead = new Set(counts ? state.dead.map((name) => torus.parse(name, "gtp")) : []);
  let ghost = null;
  if (pending !== null && pending.move !== "pass") ghost = { point: torus.parse(pending.move, "gtp"), colour: SIDES[role] };
  else if (!whyNot() && (chosen ?? hovered) !== null) ghost = { point: chosen ?? hovered, colour: SIDES[role] };
  view.show({
    colours: shown.colours,
    last: last && last !== "pass" ? torus.parse(last, "gtp") : null,
    cursor: cursorShown ? cursor : null,
    ghost,
    dead,
    owners: counts ? story.count(terms, shown, dead).owners : null,
    other: pointed,
  });
  const label = _("Board, {size} by {size}", { size: torus.size });
  view.canvas.setAttribute("aria-label", `${label}. ${story.pointText(shown, cursor)}`);
}

function showStanding() {
  const standing = find("#standing");
  const { state } = line;
  const mine = isMyTurn();
  let text = "";
  if (line.ended) text = standing.dataset.reason;
  else if (!line.connected) text = state === null ? _("Connecting …") : _("No connection, trying again");
  else if (note) text = note;
  else if (line.pending !== null) text = _("Your move is on its way.");
  else if (viewed !== null) text = _("Move {number} of {count}", { number: viewed, count: state.moves.length });
  else if (state.phase !== "playing") text = story.phaseText(line);
  else if (isPlayer()) text = mine ? _("Your move") : _("The opponent's move");
  else text = _("Move {number}, {colour} to move.", { number: state.moves.length + 1, colour: story.colourWord(moverNow()) });
  if (standing.textContent !== text) standing.textContent = text;
  standing.classList.toggle("turn", mine && !note);
  const names = state === null ? "" : `${state.black || _("Black")} – ${state.white || _("White")} · `;
  document.title = `${mine ? "● " : ""}${names}Daoqi 道棋`;
}

function showPlayers() {
  const { state } = line;
  for (const [side, colour] of Object.entries(SIDES)) {
    const box = find(`#${side}`);
    const name = state[side] || story.sideWord(side);
    box.querySelector(".name").textContent = line.role === side ? _("{name} (you)", { name }) : name;
    box.querySelector(".name").title = state[side];
    const taken = positionAfter(shownCount()).captured[colour];
    box.querySelector(".taken").textContent = taken ? `×${taken}` : "";
    box.querySelector(".taken").title = _("captured {count}", { count: taken });
    box.classList.toggle("away", !state.present.includes(side) && state.phase !== "waiting");
    box.classList.toggle("to-move", state.phase === "playing" && moverNow() === colour);
  }
  showTime();
}

function showTime() {
  const { state, toldAt } = line;
  for (const side of ["black", "white"]) {
    const time = find(`#${side} .time`);
    if (!state?.clock) {
      time.textContent = "";
      continue;
    }
    const spent = state.clock.running === side && line.connected ? (performance.now() - toldAt) / 1000 : 0;
    const left = timeLeft(state.time, state.clock[side], spent);
    time.textContent = timeText(left);
    time.classList.toggle("short", left.seconds < Math.min(SHORT_TIME, (state.time.period || SHORT_TIME * 2) / 2));
  }
}

function button(words, message, isMain = false) {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = words;
  made.classList.toggle("main", isMain);
  made.addEventListener("click", () => {
    ask(message);
    view.canvas.focus({ preventScroll: true });
  });
  return made;
}

// What waits for an answer: a request, the count, a game that is stopped or over.
function barContents() {
  const { state, role } = line;
  const { request } = state;
  const answer = (accept) => ({ type: "answer", what: request.what, accept });
  if (request) {
    const words = [story.requestText(request, role)];
    if (!isPlayer()) return words;
    if (request.by === role) return [...words, button(_("Withdraw"), answer(false))];
    return [...words, button(_("Accept"), answer(true), true), button(_("Decline"), answer(false))];
  }
  if (state.phase === "counting" || (state.phase === "over" && /\+[\d.]|^0$/.test(state.result))) {
    const dead = state.dead.map((name) => torus.parse(name, "gtp"));
    const score = [story.count(terms, positionAfter(state.moves.length), dead).text];
    if (state.phase === "over") return isPlayer() ? [...score, rematch()] : score;
    if (!isPlayer()) return score;
    const agrees = button(_("Agree"), { type: "agree", dead: state.dead }, true);
    agrees.disabled = state.agreed.includes(role);
    return [...score, agrees, button(_("Play on"), { type: "play-on" })];
  }
  if (state.warned) return [story.warningText(state.warned, role)];
  if (!isPlayer()) return [];
  if (state.phase === "over") return [rematch()];
  if (["paused", "adjourned"].includes(state.phase))
    return [button(_("Continue"), { type: "request", what: "continue" }, true)];
  return [];
}

function rematch() {
  return button(_("Rematch"), { type: "request", what: "rematch" }, true);
}

let barShown = "";

function showBar() {
  const { request, phase, dead, agreed, warned, result, moves } = line.state;
  // Rebuilt only when it changes, so that a button keeps the focus.
  const key = JSON.stringify([line.role, request, phase, dead, agreed, warned, result, moves.length]);
  if (key === barShown) return;
  barShown = key;
  const bar = find("#bar");
  const contents = barContents().map((content) => {
    if (typeof content !== "string") return content;
    const words = document.createElement("p");
    words.textContent = content;
    return words;
  });
  bar.replaceChildren(...contents);
  bar.hidden = !contents.length;
}

function showActions() {
  const { state, role } = line;
  const { phase } = state;
  const own = SIDES[role];
  const free = state.request === null;
  const first = setup.length ? WHITE : BLACK;
  const opponent = role === "black" ? "white" : "black";
  const can = {
    pass: isMyTurn() && viewed === null,
    undo: free && ["playing", "counting"].includes(phase) && state.moves.length > (own === first ? 0 : 1),
    resign: ["playing", "paused", "adjourned", "counting"].includes(phase),
    pause: free && phase === "playing",
    adjourn: free && ["playing", "paused"].includes(phase),
    claim: ["playing", "counting"].includes(phase) && !state.present.includes(opponent),
  };
  find("#actions").hidden = !isPlayer() || phase === "waiting" || phase === "over";
  find("#stopping").hidden = !isPlayer() || !["playing", "paused"].includes(phase) || terms.days > 0;
  for (const [act, possible] of Object.entries(can)) {
    const one = find(`[data-act="${act}"]`);
    one.disabled = !possible || !line.connected;
    if (act === "undo") one.hidden = !state.undo;
    if (act === "pause") one.hidden = state.clock === null;
    if (act === "claim") one.hidden = state.clock !== null || !possible;
  }
}

function showReplay() {
  const { moves } = line.state;
  const slider = find("#slider");
  const made = shownCount();
  slider.max = moves.length;
  slider.value = made;
  slider.setAttribute("aria-valuetext", _("Move {number} of {count}", { number: made, count: moves.length }));
  for (const one of document.querySelectorAll("[data-go]"))
    one.disabled = ["start", "back"].includes(one.dataset.go) ? made === 0 : made === moves.length;
}

function showRest() {
  const { state, role } = line;
  const isFree = state.phase === "waiting" && page.link;
  find("#invitation").hidden = !(isFree && isPlayer());
  find("#sit").hidden = !(isFree && !isPlayer());
  find("#listening").hidden = !isPlayer() || !state.watch;
  find("#listen").checked = state.listening.includes(role);
  find("#sharing").hidden = !isPlayer();
  find("#plan").hidden = !isPlayer() || !terms.days || state.phase !== "playing" || moverNow() === SIDES[role];
  find("#planned").textContent = planned.length ? planText() : "";
  find("#share").checked = state.sharing.includes(role);
  find("#twice").checked = tapsTwice(matchMedia("(pointer: coarse)").matches ? "touch" : "mouse");
  const komi = _("komi {komi}", { komi: terms.komi });
  const handicap = terms.setup.length ? ` · ${_("handicap {stones}", { stones: terms.setup.length })}` : "";
  const days = terms.days ? ` · ${plural("{count} day a move", "{count} days a move", terms.days)}` : "";
  const rated = terms.rated ? ` · ${_("rated")}` : "";
  find("#terms").textContent = `${terms.size}×${terms.size} · ${komi}${handicap} · ${terms.rules}${days}${rated}`;
  // For whoever does not see the board; not while nobody looks.
  if (find("#more").open) find("#stones").textContent = story.stonesText(positionAfter(shownCount()));
}

// Conditional moves: their move, my answer, and so on; lines between semicolons.

function planText() {
  const lines = planned.map((line) => line.map((move) => story.moveName(torus, move)).join(" "));
  return _("Conditional moves: {moves}.", { moves: lines.join("; ") || _("none") });
}

// Returns null where a move is not one.
function readPlan(text) {
  const lines = text.split(/[;；]/).map((line) => line.trim().split(/\s+/).filter(Boolean)).filter((line) => line.length);
  const moves = lines.map((line) =>
    line.map((word) => {
      if (["pass", _("pass")].includes(word.toLowerCase())) return "pass";
      const point = torus.parse(word);
      return point === null ? null : torus.name(point, "gtp");
    }),
  );
  return moves.flat().includes(null) ? null : moves;
}

find("#plan").addEventListener("submit", (event) => {
  event.preventDefault();
  const lines = readPlan(event.target.elements.lines.value);
  if (lines !== null) return ask({ type: "plan", number: line.state.moves.length, lines });
  note = _("Type their move, your answer, and so on, with ; between lines.");
  say(note);
  show();
});

// The page

for (const one of document.querySelectorAll("[data-act]")) one.addEventListener("click", () => actions[one.dataset.act]());
for (const one of document.querySelectorAll("[data-go]")) one.addEventListener("click", () => go(one.dataset.go));
for (const one of document.querySelectorAll("[data-zoom]"))
  one.addEventListener("click", () => view.zoomBy(Number(one.dataset.zoom)));
find("#slider").addEventListener("input", (event) => go(Number(event.target.value)));
find("#say").addEventListener("submit", (event) => {
  event.preventDefault();
  const field = event.target.elements.text;
  const text = field.value.trim();
  if (text && line.send({ type: "chat", text })) field.value = "";
});
find("#typed").addEventListener("submit", (event) => {
  event.preventDefault();
  const field = event.target.elements.point;
  const text = field.value.trim();
  const point = torus.parse(text);
  const isPass = ["pass", _("pass")].includes(text.toLowerCase());
  if (point === null && !isPass) {
    const range = { letter: torus.name(torus.size - 1).slice(0, 1), number: torus.size };
    note = _("Type a letter from A to {letter} and a number from 1 to {number}, or pass.", range);
    say(note);
    show();
    return;
  }
  field.value = "";
  if (isPass) play("pass");
  else choose(point);
});
find("#more").addEventListener("toggle", () => line.state !== null && showRest());
find("#listen").addEventListener("change", (event) => ask({ type: "listen", on: event.target.checked }));
find("#share").addEventListener("change", (event) => ask({ type: "share", on: event.target.checked }));
find("#sound").checked = settings.sound;
find("#sound").addEventListener("change", (event) => {
  settings.sound = event.target.checked;
  keepSetting("sound", settings.sound);
  if (settings.sound) click(false);
});
find("#twice").addEventListener("change", (event) => {
  settings.twice = event.target.checked;
  keepSetting("twice", settings.twice);
});
if (page.link) {
  find("#sit").href = page.link;
  find("#link").value = page.link;
  find("#command").textContent = page.command;
  find("#copy").addEventListener("click", async () => {
    find("#link").select();
    // Without encryption there is no clipboard; there the browser still copies what is selected.
    if (navigator.clipboard) await navigator.clipboard.writeText(page.link).catch(() => {});
    else document.execCommand("copy");
    find("#copy").textContent = _("Copied");
  });
}
// On a small screen the chat waits below, closed.
if (matchMedia("(max-aspect-ratio: 1/1)").matches) find("#chat").open = false;
setInterval(showTime, 250);

const line = new Line(page, onEvent);
show();
view.canvas.focus({ preventScroll: true });
