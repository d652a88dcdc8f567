// The lines of chat and news, and what is said to screen readers.

const SPOKEN = 6;
const LINES = 200;

const find = (selector) => document.querySelector(selector);
let unread = 0;

export function say(text) {
  const spoken = find("#spoken");
  const sentence = document.createElement("p");
  sentence.textContent = text;
  spoken.append(sentence);
  while (spoken.children.length > SPOKEN) spoken.firstChild.remove();
}

export function sayCursor(text) {
  find("#cursor").textContent = text;
}

export function news(text) {
  addLine(text).className = "news";
  say(text);
}

export function chat(name, text) {
  const who = document.createElement("b");
  who.textContent = name;
  addLine(text).prepend(who);
  unread += 1;
  showUnread();
}

function addLine(text) {
  const lines = find("#lines");
  const added = document.createElement("li");
  // Whatever anybody calls themselves or says is text.
  added.textContent = text;
  lines.append(added);
  while (lines.children.length > LINES) lines.firstChild.remove();
  lines.scrollTop = lines.scrollHeight;
  return added;
}

function showUnread() {
  if (find("#chat").open) unread = 0;
  find("#unread").textContent = unread ? `(${unread})` : "";
}

find("#chat").addEventListener("toggle", showUnread);
