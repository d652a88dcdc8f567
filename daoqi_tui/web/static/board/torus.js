// The board: the names of points, what a move captures, and the area. What is legal, the server decides.

export const EMPTY = 0;
export const BLACK = 1;
export const WHITE = 2;
export const SIDES = { black: BLACK, white: WHITE };
const LETTERS = { shown: "ABCDEFGHIJKLMNOPQRSTUVWXY", gtp: "ABCDEFGHJKLMNOPQRSTUVWXYZ" };

export class Torus {
  constructor(size) {
    this.size = size;
    this.points = size * size;
    this.neighbours = Array.from({ length: this.points }, (_, point) => {
      const [row, column] = this.position(point);
      const around = [[-1, 0], [0, 1], [1, 0], [0, -1]].map(([down, right]) => this.point(row + down, column + right));
      return [...new Set(around)].filter((other) => other !== point);
    });
  }

  // Any integers: both directions wrap.
  point(row, column) {
    const wrapped = (number) => ((number % this.size) + this.size) % this.size;
    return wrapped(row) * this.size + wrapped(column);
  }

  position(point) {
    return [Math.floor(point / this.size), point % this.size];
  }

  // The protocol names points as GTP does, without the letter I; people see all letters.
  name(point, style = "shown") {
    const [row, column] = this.position(point);
    return `${LETTERS[style][column]}${this.size - row}`;
  }

  parse(text, style = "shown") {
    const [, letter, number] = /^([a-z])(\d{1,2})$/i.exec(text.trim()) ?? [];
    const column = letter ? LETTERS[style].slice(0, this.size).indexOf(letter.toUpperCase()) : -1;
    const found = column >= 0 && 1 <= number && number <= this.size;
    return found ? this.point(this.size - Number(number), column) : null;
  }
}

// The chain of equal points around one, and all other colours beside it.
function chain(torus, colours, start) {
  const points = new Set([start]);
  const beside = new Set();
  for (const point of points)
    for (const next of torus.neighbours[point])
      if (colours[next] === colours[start]) points.add(next);
      else beside.add(colours[next]);
  return { points: [...points], beside };
}

// A position after some moves, to which more can be added.
export class Position {
  constructor(torus, setup) {
    this.torus = torus;
    this.colours = new Uint8Array(torus.points);
    for (const point of setup) this.colours[point] = BLACK;
    this.mover = setup.length ? WHITE : BLACK;
    this.moves = [];
    this.captured = [0, 0, 0];
    this.passes = [0, 0, 0];
    this.removed = [];
  }

  make(move) {
    const { torus, colours, mover } = this;
    const other = BLACK + WHITE - mover;
    this.removed = [];
    this.moves.push(move);
    this.mover = other;
    if (move === "pass") {
      this.passes[mover] += 1;
      return;
    }
    const point = torus.parse(move, "gtp");
    colours[point] = mover;
    for (const next of torus.neighbours[point])
      if (colours[next] === other) this.#removeWithoutLiberties(next);
    this.captured[mover] += this.removed.length;
    // Suicide, where the rules allow it.
    if (!this.removed.length) this.#removeWithoutLiberties(point);
  }

  #removeWithoutLiberties(start) {
    const { points, beside } = chain(this.torus, this.colours, start);
    if (beside.has(EMPTY)) return;
    for (const point of points) this.colours[point] = EMPTY;
    this.removed.push(...points);
  }

  chainAt(point) {
    return this.colours[point] === EMPTY ? [] : chain(this.torus, this.colours, point).points;
  }
}

// The area without dead stones: for each point its owner, and for each colour the number of its points.
export function area(torus, colours, dead) {
  const owners = Uint8Array.from(colours);
  for (const point of dead) owners[point] = EMPTY;
  const counted = new Set();
  const board = Uint8Array.from(owners);
  for (let start = 0; start < torus.points; start += 1) {
    if (board[start] !== EMPTY || counted.has(start)) continue;
    const { points, beside } = chain(torus, board, start);
    const owner = beside.size === 1 ? [...beside][0] : EMPTY;
    for (const point of points) {
      counted.add(point);
      owners[point] = owner;
    }
  }
  const points = [0, 0, 0];
  for (const owner of owners) points[owner] += 1;
  return { owners, points };
}
