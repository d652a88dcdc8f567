// The board without end on a canvas: the period in the middle is bright, its copies around it are dim, and a line marks
// the seam, where the last column and row meet the first.

import { BLACK, EMPTY } from "./torus.js";

const COLOURS = [
  "board", "line", "seam", "black", "black-shine", "white", "white-shade", "cursor", "last", "black-area", "white-area",
  "label", "label-dim", "shade", "frame",
];
const LARGEST = 3;
// Points of dim copies on each side of the bright period, at the least.
const MARGIN = 0.75;

export class BoardView {
  constructor(canvas, torus) {
    this.canvas = canvas;
    this.torus = torus;
    // The column and row at the upper left of the bright period; fractions while it is dragged.
    this.left = 0;
    this.top = 0;
    this.zoom = 1;
    this.scene = null;
    new ResizeObserver(() => this.measure()).observe(canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.measure());
    this.measure();
  }

  measure() {
    const { canvas } = this;
    const scale = window.devicePixelRatio || 1;
    const { clientWidth: width, clientHeight: height } = canvas;
    if (!width || !height) return;
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    const style = getComputedStyle(canvas);
    this.colours = Object.fromEntries(COLOURS.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
    this.size = { width, height, scale };
    this.#fit();
  }

  #fit() {
    const { width, height } = this.size;
    const { size } = this.torus;
    this.strip = Math.max(13, Math.min(22, width / 26));
    const room = Math.min(width, height) - this.strip;
    this.cell = (room / (size + 2 * MARGIN)) * this.zoom;
    // The corner of the bright period, in pixels.
    this.x = this.strip + (width - this.strip - size * this.cell) / 2;
    this.y = this.strip + (height - this.strip - size * this.cell) / 2;
    this.show();
  }

  zoomBy(factor) {
    this.zoom = Math.min(LARGEST, Math.max(1, this.zoom * factor));
    this.#fit();
  }

  pan(columns, rows) {
    cancelAnimationFrame(this.gliding);
    this.left += columns;
    this.top += rows;
    this.show();
  }

  panPixels(across, along) {
    this.pan(-across / this.cell, -along / this.cell);
  }

  // After a drag, whole points lie at the edge of the bright period.
  settle() {
    const goal = [Math.round(this.left), Math.round(this.top)];
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const step = () => {
      const rest = [goal[0] - this.left, goal[1] - this.top];
      const near = still || Math.hypot(...rest) < 0.02;
      this.left = near ? this.torus.position(this.torus.point(0, goal[0]))[1] : this.left + 0.3 * rest[0];
      this.top = near ? this.torus.position(this.torus.point(goal[1], 0))[0] : this.top + 0.3 * rest[1];
      this.show();
      if (!near) this.gliding = requestAnimationFrame(step);
    };
    step();
  }

  // Bring a point into view: where the board is larger than the window, and where the bright period is asked for.
  centre(point) {
    const [row, column] = this.torus.position(point);
    const half = (this.torus.size - 1) / 2;
    this.left = Math.round(column - half);
    this.top = Math.round(row - half);
    this.settle();
  }

  reveal(point) {
    const [x, y] = this.place(point);
    const { width, height } = this.size;
    const edge = this.cell / 2;
    if (x < this.strip + edge || y < this.strip + edge || x > width - edge || y > height - edge) this.centre(point);
  }

  // The centre of a point in the bright period, in pixels of the canvas.
  place(point) {
    const { size } = this.torus;
    const [row, column] = this.torus.position(point);
    const wrapped = (number) => ((number % size) + size) % size;
    return [
      this.x + (wrapped(column - Math.round(this.left)) + 0.5) * this.cell,
      this.y + (wrapped(row - Math.round(this.top)) + 0.5) * this.cell,
    ];
  }

  pointAt(x, y) {
    return this.torus.point(
      Math.floor((y - this.y) / this.cell + this.top),
      Math.floor((x - this.x) / this.cell + this.left),
    );
  }

  // What is shown: colours, last, cursor, ghost, dead, owners, other (the opponent's cursor).
  show(scene = this.scene) {
    this.scene = scene;
    if (this.scene === null || !this.size) return;
    // Where the points are, for whoever cannot look at a canvas, as tests cannot.
    const { left, top, x, y, cell } = this;
    Object.assign(this.canvas.dataset, { left, top, x, y, cell });
    if (this.asked) return;
    this.asked = requestAnimationFrame(() => {
      this.asked = 0;
      this.#draw();
    });
  }

  #draw() {
    const { width, height, scale } = this.size;
    const ink = (this.ink = this.canvas.getContext("2d"));
    const { colours, cell, strip } = this;
    ink.setTransform(scale, 0, 0, scale, 0, 0);
    ink.fillStyle = colours.board;
    ink.fillRect(0, 0, width, height);
    const columns = this.#visible(this.x, this.left, width);
    const rows = this.#visible(this.y, this.top, height);
    const at = (column, row) => [
      this.x + (column - this.left + 0.5) * cell,
      this.y + (row - this.top + 0.5) * cell,
    ];
    this.#lines(columns, rows, at);
    for (const row of rows) for (const column of columns) this.#point(this.torus.point(row, column), ...at(column, row));
    this.#dim();
    this.#names(columns, rows, at, strip);
  }

  #visible(start, offset, length) {
    const first = Math.floor(offset - start / this.cell) - 1;
    const last = Math.ceil(offset + (length - start) / this.cell) + 1;
    return Array.from({ length: last - first + 1 }, (_, place) => first + place);
  }

  #lines(columns, rows, at) {
    const { ink, colours, cell, torus } = this;
    const { width, height } = this.size;
    ink.strokeStyle = colours.line;
    ink.lineWidth = Math.max(0.75, cell / 28);
    ink.beginPath();
    for (const column of columns) {
      const [x] = at(column, 0);
      ink.moveTo(x, 0);
      ink.lineTo(x, height);
    }
    for (const row of rows) {
      const [, y] = at(0, row);
      ink.moveTo(0, y);
      ink.lineTo(width, y);
    }
    ink.stroke();
    ink.strokeStyle = colours.seam;
    ink.lineWidth = Math.max(1.5, cell / 14);
    ink.setLineDash([cell / 3, cell / 6]);
    ink.beginPath();
    for (const column of columns.filter((number) => number % torus.size === 0)) {
      const x = at(column, 0)[0] - cell / 2;
      ink.moveTo(x, at(0, rows[0])[1]);
      ink.lineTo(x, at(0, rows.at(-1))[1]);
    }
    for (const row of rows.filter((number) => number % torus.size === 0)) {
      const y = at(0, row)[1] - cell / 2;
      ink.moveTo(at(columns[0], 0)[0], y);
      ink.lineTo(at(columns.at(-1), 0)[0], y);
    }
    ink.stroke();
    ink.setLineDash([]);
  }

  #point(point, x, y) {
    const { ink, colours, cell, scene } = this;
    const colour = scene.colours[point];
    const dead = scene.dead.has(point);
    if (colour !== EMPTY) {
      ink.globalAlpha = dead ? 0.45 : 1;
      this.#stone(colour, x, y);
      ink.globalAlpha = 1;
    } else if (scene.ghost?.point === point) {
      ink.globalAlpha = 0.55;
      this.#stone(scene.ghost.colour, x, y);
      ink.globalAlpha = 1;
    }
    const owner = scene.owners?.[point] ?? EMPTY;
    if (owner !== EMPTY && (colour === EMPTY || dead)) {
      ink.fillStyle = colours[owner === BLACK ? "black-area" : "white-area"];
      ink.fillRect(x - cell / 6, y - cell / 6, cell / 3, cell / 3);
    }
    if (scene.last === point) this.#ring(x, y, cell * 0.2, colours.last);
    if (scene.cursor === point) this.#corners(x, y, colours.cursor);
    if (scene.other === point) this.#ring(x, y, cell * 0.42, colours.cursor);
  }

  #stone(colour, x, y) {
    const { ink, colours, cell } = this;
    const radius = cell * 0.46;
    const [shine, body] = colour === BLACK ? ["black-shine", "black"] : ["white", "white-shade"];
    const light = ink.createRadialGradient(x - radius * 0.35, y - radius * 0.4, radius * 0.1, x, y, radius * 1.05);
    light.addColorStop(0, colours[shine]);
    light.addColorStop(colour === BLACK ? 0.55 : 0.85, colours[colour === BLACK ? body : shine]);
    light.addColorStop(1, colours[body]);
    ink.fillStyle = light;
    ink.beginPath();
    ink.arc(x, y, radius, 0, 2 * Math.PI);
    ink.fill();
  }

  #ring(x, y, radius, colour) {
    const { ink, cell } = this;
    ink.strokeStyle = colour;
    ink.lineWidth = Math.max(2, cell / 10);
    ink.beginPath();
    ink.arc(x, y, radius, 0, 2 * Math.PI);
    ink.stroke();
  }

  #corners(x, y, colour) {
    const { ink, cell } = this;
    const half = cell * 0.48;
    const arm = cell * 0.2;
    ink.strokeStyle = colour;
    ink.lineWidth = Math.max(2, cell / 10);
    ink.beginPath();
    for (const [right, down] of [[-1, -1], [1, -1], [1, 1], [-1, 1]]) {
      ink.moveTo(x + right * (half - arm), y + down * half);
      ink.lineTo(x + right * half, y + down * half);
      ink.lineTo(x + right * half, y + down * (half - arm));
    }
    ink.stroke();
  }

  // The copies lie in the shade, also of the part of a stone that reaches beyond the bright period.
  #dim() {
    const { ink, colours } = this;
    const { width, height } = this.size;
    const length = this.torus.size * this.cell;
    ink.fillStyle = colours.shade;
    ink.beginPath();
    ink.rect(0, 0, width, height);
    ink.rect(this.x, this.y, length, length);
    ink.fill("evenodd");
  }

  // Columns along the upper edge, rows along the left one, those of the bright period brighter.
  #names(columns, rows, at, strip) {
    const { ink, colours, torus } = this;
    const { width, height } = this.size;
    ink.fillStyle = colours.frame;
    ink.fillRect(0, 0, width, strip);
    ink.fillRect(0, 0, strip, height);
    ink.font = `${Math.min(strip * 0.72, this.cell * 0.8)}px system-ui, sans-serif`;
    ink.textAlign = "center";
    ink.textBaseline = "middle";
    const bright = (place, offset) => offset - 0.5 <= place && place < offset + torus.size - 0.5;
    for (const column of columns) {
      const [x] = at(column, 0);
      if (x < strip + this.cell / 4) continue;
      ink.fillStyle = colours[bright(column, this.left) ? "label" : "label-dim"];
      ink.fillText(torus.name(torus.point(0, column)).slice(0, 1), x, strip / 2);
    }
    for (const row of rows) {
      const [, y] = at(0, row);
      if (y < strip + this.cell / 4) continue;
      ink.fillStyle = colours[bright(row, this.top) ? "label" : "label-dim"];
      ink.fillText(torus.name(torus.point(row, 0)).slice(1), strip / 2, y);
    }
  }
}
