// The time that a side has left, which goes on between the messages of the server.

import { _ } from "./words.js";

const DAY = 24 * 3600;

// `time` are the settings of the clock, `left` what the server said, `spent` the seconds since then.
export function timeLeft(time, left, spent) {
  const seconds = left.seconds - spent;
  if (seconds > 0) return { ...left, seconds };
  const unused = left.periods - (left.byoyomi ? 1 : 0);
  const ended = time.period ? Math.floor(-seconds / time.period) : unused;
  if (ended >= unused) return { seconds: 0, periods: 0, byoyomi: left.byoyomi || left.periods > 0 };
  return { seconds: time.period - (-seconds % time.period), periods: unused - ended, byoyomi: true };
}

export function timeText({ seconds, periods, byoyomi }) {
  const whole = Math.max(0, Math.floor(seconds));
  if (whole >= DAY)
    return _("{days} d {hours} h", { days: Math.floor(whole / DAY), hours: Math.floor((whole % DAY) / 3600) });
  const text = `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
  return byoyomi ? `${text} (${periods})` : text;
}
