/** Returns the element with this id. */
export const $ = (id) => document.getElementById(id);

/**
 * Makes an element. `on` is its click handler; attributes that are undefined, null or false are left out, and so are
 * such children. Text is always set as text, never as HTML.
 */
export function h(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (key === 'on') node.addEventListener('click', value);
    else if (key === 'class') node.className = value;
    else node.setAttribute(key, value === true ? '' : value);
  }
  for (const child of children.flat(Infinity))
    if (child !== null && child !== undefined && child !== false && child !== '') node.append(child);
  return node;
}

let toastTimer;

/** Shows a short text for a moment. */
export function toast(text) {
  $('toast').textContent = text;
  $('toast').hidden = false;
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => {
    $('toast').hidden = true;
  }, 3500);
}

/** Writes a time of day. */
export function time(ms, seconds = false) {
  const options = { hour: '2-digit', minute: '2-digit', ...(seconds ? { second: '2-digit' } : {}) };
  return new Date(ms).toLocaleTimeString([], options);
}

/** Writes a word of the wire as people read it: `ERROR_RATE` is "error rate". */
export function plain(word) {
  return word.toLowerCase().replace(/_/g, ' ');
}
