// Sentences in the language of the visitor. The server reads the calls of _ and plural in these files, and sends the
// translations along with the page.

let words = {};

export function useWords(translated) {
  words = translated;
}

function filled(sentence, values) {
  return sentence.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

export function _(sentence, values = {}) {
  return filled(words[sentence] ?? sentence, values);
}

export function plural(one, many, count) {
  const sentence = count === 1 ? one : many;
  return filled(words[sentence] ?? sentence, { count });
}
