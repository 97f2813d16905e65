import type { Page } from '../../core/operations';

/** Bytes of items after which a page ends before it is full, where the list can be taken up from there. */
const maxPageBytes = 10 * 1024 * 1024;

/** Returns a page's envelope as JSON; `link` makes the address of a position. */
export function pageText(
  page: Page<unknown>,
  link: (position: Record<string, string> | null) => string | null,
  most = maxPageBytes,
): string {
  const texts: string[] = [];
  let bytes = 0;
  for (const item of page.items) {
    const text = JSON.stringify(item);
    const size = Buffer.byteLength(text);
    // The first one always fits: who reads on must get on.
    if (page.nextAfter && texts.length > 0 && bytes + size > most) break;
    texts.push(text);
    bytes += size;
  }
  const next = texts.length < page.items.length ? (page.nextAfter?.(texts.length - 1) ?? null) : page.next;
  const head = JSON.stringify({
    ...(page.count === undefined ? {} : { count: page.count }),
    next: link(next),
    previous: link(page.previous),
  });
  return `${head.slice(0, -1)},"results":[${texts.join(',')}]}`;
}
