/** Deeper than anything that the upstream sends. */
const maxPayloadDepth = 100;

/** Items as jsonb can hold them. Hardly any webhook has something to clean, which its text tells faster than a copy. */
export function storableJson(items: readonly object[]): string {
  let text: string;
  try {
    text = JSON.stringify(items);
  } catch {
    // Nested beyond what PostgreSQL itself can write.
    return JSON.stringify(storable(items, 0));
  }
  return /\\u(?:0000|d[89a-f])/.test(text) || depthOf(text) > maxPayloadDepth
    ? JSON.stringify(storable(items, 0))
    : text;
}

/** Returns how deep a JSON text nests. */
function depthOf(json: string): number {
  let depth = 0;
  let deepest = 0;
  let quoted = false;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (quoted) {
      if (code === backslash) at += 1;
      else if (code === quote) quoted = false;
    } else if (code === quote) quoted = true;
    else if (code === openBrace || code === openBracket) deepest = Math.max(deepest, (depth += 1));
    else if (code === closeBrace || code === closeBracket) depth -= 1;
  }
  return deepest;
}

const [quote, backslash, openBrace, closeBrace, openBracket, closeBracket] = Array.from('"\\{}[]', (character) =>
  character.charCodeAt(0),
);

/**
 * Returns what jsonb cannot hold, out of the way: NUL and half characters, which mean nothing in a message, and endless
 * nesting.
 */
export function storable(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return value.replaceAll('\0', '').toWellFormed();
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= maxPayloadDepth) return null;
  if (Array.isArray(value)) return value.map((item) => storable(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [storable(key, depth), storable(inner, depth + 1)]),
  );
}
