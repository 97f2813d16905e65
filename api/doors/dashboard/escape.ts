const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Returns the text as HTML shows it, in elements and in quoted attributes. */
export function escapeHtml(value: unknown): string {
  return value === null || value === undefined
    ? ''
    : String(value).replace(/[&<>"']/g, (character) => entities[character] ?? character);
}
