import type { Page } from '../../core/operations';

/** Bytes of items after which a page ends before it is full, where the list can be taken up from there. */
const maxPageBytes = 10 * 1024 * 1024;

/** Returns a page's envelope as JSON; `link` makes the address of a position. */
export function pageText(
  page: Page<unknown>,
  link: (position: Record<string, string> | null) => string | null,
  most = maxPageBytes,
): string {
  const { results, count } = itemsText(page, most);
  const next = count < page.items.length ? (page.nextAfter?.(count - 1) ?? null) : page.next;
  const head = JSON.stringify({
    ...(page.count === undefined ? {} : { count: page.count }),
    next: link(next),
    previous: link(page.previous),
  });
  return `${head.slice(0, -1)},"results":${results}}`;
}

/** UTF-16 units of a JSON text take three bytes each at most. */
const mostBytesOfUnit = 3;

/** Returns the items that fit as a JSON array, and how many they are. */
function itemsText({ items, nextAfter }: Page<unknown>, most: number): { results: string; count: number } {
  // Nearly every page is far from the limit: its items are written at once, and nothing is measured.
  const whole = JSON.stringify(items);
  if (!nextAfter || whole.length * mostBytesOfUnit <= most) return { results: whole, count: items.length };
  const texts: string[] = [];
  let bytes = 0;
  for (const item of items) {
    const text = JSON.stringify(item);
    const size = Buffer.byteLength(text);
    // The first one always fits: who reads on must get on.
    if (texts.length > 0 && bytes + size > most) break;
    texts.push(text);
    bytes += size;
  }
  return { results: `[${texts.join(',')}]`, count: texts.length };
}
