type Json = Record<string, unknown>;

/** The text of a result as a program reads it: without its marks. */
interface Unmarked {
  readonly value: Json;
  /** The texts that stood between marks, by their paths. */
  readonly marked: ReadonlyMap<string, string>;
}

/** Returns what the text of a result says, and what of it stands between the marks that it names. */
export function unmarked(text: string): Unmarked {
  const { untrusted, ...said } = JSON.parse(text) as Json;
  const [, mark] = /^Between <([a-z0-9]+)> and <\/\1> stand words of customers/.exec(String(untrusted)) ?? [];
  const marked = new Map<string, string>();
  if (untrusted === undefined) return { value: said, marked };
  if (mark === undefined) throw new Error(`no mark is named: ${String(untrusted)}`);
  const [open, close] = [`<${mark}>`, `</${mark}>`];
  const bare = (value: string, path: string): string => {
    if (!value.startsWith(open) || !value.endsWith(close)) {
      if (value.includes(mark)) throw new Error(`${path} forges a mark: ${value}`);
      return value;
    }
    const words = value.slice(open.length, -close.length);
    if (words.includes(mark)) throw new Error(`${path} holds the mark that surrounds it: ${value}`);
    marked.set(path, words);
    return words;
  };
  const read = (value: unknown, path: string): unknown => {
    if (typeof value === 'string') return bare(value, path);
    if (Array.isArray(value)) return value.map((item) => read(item, `${path}[*]`));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([given, inner]) => {
        const name = bare(given, `${path}.`);
        return [name, read(inner, `${path}.${name}`)];
      }),
    );
  };
  return { value: read(said, '$') as Json, marked };
}

/** Throws where text and structured result say different things, or where one of them marks what the other does not. */
export function checkMarks(text: string, structured: unknown, paths: readonly string[]): void {
  const { value, marked } = unmarked(text);
  if (JSON.stringify(value) !== JSON.stringify(structured)) throw new Error(`the text tells another thing: ${text}`);
  const isBelow = (place: string, path: string): boolean =>
    place === path || (place.startsWith(path) && /^[.[]/.test(place.slice(path.length)));
  for (const place of marked.keys())
    if (!paths.some((path) => isBelow(place, path)))
      throw new Error(`${place} is marked, and in no path: ${paths.join()}`);
  const strings = (inner: unknown, place: string): string[] => {
    if (typeof inner === 'string') return [place];
    if (typeof inner !== 'object' || inner === null) return [];
    return Array.isArray(inner)
      ? inner.flatMap((item) => strings(item, `${place}[*]`))
      : Object.entries(inner).flatMap(([name, own]) => strings(own, `${place}.${name}`));
  };
  for (const place of strings(structured, '$'))
    if (paths.some((path) => isBelow(place, path)) && !marked.has(place))
      throw new Error(`${place} has no mark: ${text}`);
}
