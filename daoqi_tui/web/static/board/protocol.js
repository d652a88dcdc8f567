// A seat in a game, or a place to watch from, on the protocol of docs/online.md: it reconnects by itself, catches up,
// and sends a move again that was not acknowledged; the server takes a move once, by its number.

const PAUSES = [0.1, 0.3, 1, 2, 5, 10];
const JITTER = 0.25;
// The server says something every five seconds.
const SILENCE = 20;

export class Line {
  // `final` are the reasons that time does not heal. `onEvent` is called with each message of the server, and with
  // "lost" and "ended", after the state is updated.
  constructor({ socket, version, final, key }, onEvent) {
    this.url = socket;
    this.version = version;
    this.final = final;
    this.key = key;
    this.role = "spectator";
    this.state = null;
    this.toldAt = 0;
    this.pending = null;
    this.connected = false;
    this.ended = false;
    this.chat = 0;
    this.onEvent = onEvent;
    this.attempt = 0;
    this.closedWith = null;
    this.connect();
    // A phone that wakes up, or is back in a network, does not wait.
    for (const [target, event] of [[window, "online"], [document, "visibilitychange"]])
      target.addEventListener(event, () => document.hidden || this.#retry());
  }

  connect() {
    clearTimeout(this.retry);
    this.retry = null;
    this.closedWith = null;
    this.admitted = false;
    const socket = (this.socket = new WebSocket(this.url));
    socket.addEventListener("open", () => {
      this.#write({ type: "join", version: this.version, key: this.key });
      this.#listen();
    });
    socket.addEventListener("message", ({ data }) => {
      if (socket !== this.socket) return;
      this.#listen();
      this.#take(JSON.parse(data));
    });
    socket.addEventListener("close", () => socket === this.socket && this.#lose());
    this.#listen();
  }

  // Who hears nothing for long has lost the line, whatever the system says.
  #listen() {
    clearTimeout(this.silence);
    const { socket } = this;
    this.silence = setTimeout(() => {
      if (socket !== this.socket) return;
      // Closing waits for an answer that may never come.
      socket.close();
      this.#lose();
    }, 1000 * SILENCE);
  }

  #lose() {
    clearTimeout(this.silence);
    this.socket = null;
    this.connected = false;
    if (this.ended) return;
    const refused = this.closedWith;
    // After a refusal, for example of too many messages, the pauses go on growing.
    if (this.admitted && refused === null) this.attempt = 0;
    const pause = Math.max(PAUSES[Math.min(this.attempt, PAUSES.length - 1)], Math.min(refused?.wait ?? 0, 300));
    this.attempt += 1;
    this.retry = setTimeout(() => this.connect(), 1000 * pause * (1 + JITTER * Math.random()));
    this.onEvent({ type: "lost", refused });
  }

  #retry() {
    if (this.retry !== null && this.closedWith === null) this.connect();
  }

  #write(message) {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  // All but a move is dropped while there is no connection.
  send(message) {
    if (this.connected) this.#write(message);
    return this.connected;
  }

  play(move) {
    this.pending = { number: this.state.moves.length + 1, move, round: this.state.round };
    this.#resend();
  }

  #resend() {
    const { number, move } = this.pending;
    this.send({ type: "move", number, move });
  }

  #take(message) {
    switch (message.type) {
      case "ping":
        this.#write({ type: "pong", id: message.id });
        return;
      case "welcome":
        this.connected = this.admitted = true;
        this.role = message.role;
        this.key = message.key || this.key;
        break;
      case "state":
        this.#takeState(message);
        break;
      case "moved":
        if (!this.#takeMove(message)) return;
        break;
      case "chat":
        // Repeated because the connection was lost in between.
        if (message.number && message.number <= this.chat) return;
        this.chat = message.number || this.chat;
        break;
      case "refused":
        if (message.what === "move") this.pending = null;
        if (message.fatal && this.final.includes(message.code)) {
          this.ended = true;
          message = { ...message, type: "ended" };
        } else if (message.fatal) {
          this.closedWith = message;
          return;
        }
        break;
    }
    this.onEvent(message);
    if (message.type === "state" && this.pending !== null) this.#resend();
  }

  #takeState(state) {
    const { pending } = this;
    const open = state.phase === "playing" && pending?.number === state.moves.length + 1;
    if (pending !== null && !(open && pending.round === state.round)) this.pending = null;
    this.state = state;
    this.toldAt = performance.now();
  }

  #takeMove(moved) {
    if (this.pending !== null && this.pending.number <= moved.number) this.pending = null;
    const { moves } = this.state;
    if (moved.number <= moves.length) return false;
    if (moved.number > moves.length + 1) {
      // The next state brings what is missing.
      this.socket.close();
      return false;
    }
    // A move closes the request that was open, and ends a warning.
    this.state = { ...this.state, moves: [...moves, moved.move], clock: moved.clock, request: null, warned: null };
    this.toldAt = performance.now();
    return true;
  }
}
