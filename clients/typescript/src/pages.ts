import type { Http, Request } from './http.js';

/** One page of a list. */
export interface Page<T> {
  readonly results: readonly T[];
  /** How many there are on all pages; absent in lists that do not count. */
  readonly count?: number;
  /** Address of the next page; null on the last one. */
  readonly next: string | null;
}

/** A list: `await` gives its first page, `for await` all of its items, page by page as they are needed. */
export class Pages<T> implements PromiseLike<Page<T>>, AsyncIterable<T> {
  constructor(
    private readonly http: Http,
    private readonly request: Request,
  ) {}

  then<A = Page<T>, B = never>(
    done?: ((page: Page<T>) => A | PromiseLike<A>) | null,
    failed?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): PromiseLike<A | B> {
    return this.read(this.request).then(done, failed);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const page of this.pages()) yield* page.results;
  }

  /** Yields page after page. */
  async *pages(): AsyncGenerator<Page<T>, void, undefined> {
    let request = this.request;
    for (;;) {
      const page = await this.read(request);
      yield page;
      if (page.next === null) return;
      // Only its path: the key is sent to the address that was given, and to no other.
      const { pathname, search } = new URL(page.next, 'http://any');
      request = { ...request, path: pathname + search, query: undefined };
    }
  }

  private async read(request: Request): Promise<Page<T>> {
    const answer = await this.http.send(request);
    const value = (await answer.json()) as Page<T> | readonly T[];
    if (!Array.isArray(value)) return value as Page<T>;
    const next = /<([^<>]{1,8192})>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1] ?? null;
    return { results: value as readonly T[], count: Number(answer.headers.get('x-total-count')), next };
  }
}
