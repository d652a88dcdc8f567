// What this browser remembers.

export function setting(name, otherwise) {
  try {
    return JSON.parse(localStorage.getItem(`daoqi-${name}`)) ?? otherwise;
  } catch {
    return otherwise;
  }
}

export function keepSetting(name, value) {
  try {
    localStorage.setItem(`daoqi-${name}`, JSON.stringify(value));
  } catch {
    // A browser that stores nothing asks again next time.
  }
}
