import type { Page } from '../../core/http/operations';

/** Bytes of items after which a page is cut before it is full, where the list can be taken up from there. */
const maxPageBytes = 10 * 1024 * 1024;

/** Returns a page's envelope as JSON; `link` makes the address of a position. */
export function pageText(
  page: Page<unknown>,
  link: (position: Record<string, string> | null) => string | null,
  maxBytes = maxPageBytes,
): string {
  const { results, first, last } = itemsText(page, maxBytes);
  const next = last < page.items.length - 1 ? (page.from?.(last, false) ?? null) : page.next;
  const previous = first > 0 ? (page.from?.(first, true) ?? null) : page.previous;
  const head = JSON.stringify({
    ...(page.count === undefined ? {} : { count: page.count }),
    next: link(next),
    previous: link(previous),
  });
  return `${head.slice(0, -1)},"results":${results}}`;
}

/** UTF-16 units of a JSON text take three bytes each at most. */
const maxBytesOfUnit = 3;

/** Returns the items that fit as a JSON array, and which they are; the others are left out where the walk leads to. */
function itemsText(
  { items, backwards, from }: Page<unknown>,
  maxBytes: number,
): { results: string; first: number; last: number } {
  // Nearly every page is far from the limit: its items are written at once, and nothing is measured.
  const whole = JSON.stringify(items);
  if (!from || whole.length * maxBytesOfUnit <= maxBytes) return { results: whole, first: 0, last: items.length - 1 };
  const texts: string[] = [];
  let bytes = 0;
  for (const item of backwards ? items.toReversed() : items) {
    const text = JSON.stringify(item);
    const size = Buffer.byteLength(text);
    // The first one always fits: who reads on must get on.
    if (texts.length > 0 && bytes + size > maxBytes) break;
    texts.push(text);
    bytes += size;
  }
  const first = backwards ? items.length - texts.length : 0;
  return {
    results: `[${(backwards ? texts.reverse() : texts).join(',')}]`,
    first,
    last: first + texts.length - 1,
  };
}
