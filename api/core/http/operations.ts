import type { Readable } from 'node:stream';
import type * as yup from 'yup';
import type { Scope } from './access';
import type { Ctx } from '../context';
import type { ByteRange } from '../files/store';
import type { InputSchema } from './fields';
import type { JsonSchema } from './shapes';

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** A page of a list; the HTTP layer turns cursors and page numbers into absolute links (contract 4). */
export interface Page<T> {
  readonly kind: 'page';
  /** Absent in lists whose envelope has none (templates). */
  readonly count?: number;
  readonly items: readonly T[];
  /** Query parameters of the neighbouring pages; null at the ends. */
  readonly next: Record<string, string> | null;
  readonly previous: Record<string, string> | null;
  /** It was reached by `previous`: its end is fixed, and what does not fit is left out at its beginning. */
  readonly backwards?: boolean;
  /** Query parameters of the page behind an item of this one, or before it, so that it may be cut short. */
  readonly from?: (index: number, back: boolean) => Record<string, string> | null;
}

/** An answer with headers of its own. */
interface Reply<T> {
  readonly kind: 'reply';
  readonly value: T;
  readonly headers: Readonly<Record<string, string>>;
}

/** Bytes that are passed on as they come. */
export interface Stream {
  readonly kind: 'stream';
  readonly sizeBytes: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Returns all bytes, or those of a range. Throws what the client is told where they are not to be had. */
  open(range?: ByteRange): Promise<Readable>;
}

/** How an agent sees the operation (contract 11.1). */
export interface ToolDefinition {
  readonly name: string;
  readonly title: string;
  /** When to use it, in words for an agent. */
  readonly description: string;
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    readonly openWorldHint: boolean;
  };
  /** Arguments, where they are not simply the operation's path parameters, query and body. */
  readonly input?: InputSchema;
  /** Arguments to the operation's input, where they differ. */
  readonly adapt?: (args: Record<string, unknown>) => Record<string, unknown>;
  /** The tool may send to customers: it is bound by the connection's autonomy, and takes `dry_run`. */
  readonly sends?: 'message' | 'macro' | 'ticket';
  /** Works only in workspaces with this add-on. */
  readonly addon?: 'ticketing';
}

/**
 * One row says everything about an operation: routing, scope, validation, OpenAPI and the agent tool follow from it,
 * so they cannot disagree.
 */
export interface Operation {
  /** `resource.verb`, both in camelCase; the operationId of OpenAPI. */
  readonly id: string;
  readonly method: Method;
  /** With the trailing slash; `{name}` for parameters. Names that end in `_pk` or are `id` are integers. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** Null: any authenticated credential. */
  readonly scope: Scope | null;
  /** What an API key needs, where that is another scope than a member's. */
  readonly keyScope?: Scope;
  /** `session`: dashboard sessions only; `notes`: these, and API keys that were made to read notes. */
  readonly audience?: 'any' | 'session' | 'notes';
  /** The write that an expired trial lets through, because it ends the trial. */
  readonly reactivates?: boolean;
  /**
   * Asks a member again who they are where that was shown more than ten minutes ago (contract 12.4): each time, or
   * where one of these fields of the body is another than before, of which the operation takes care by `requireRecent`.
   */
  readonly asksAgain?: true | readonly string[];
  /** What a path parameter is, where it is not the `id` that a list names. */
  readonly params?: Readonly<Record<string, string>>;
  /** Path parameters that are integers; others are text. */
  readonly intParams?: readonly string[];
  readonly query?: InputSchema;
  /** Query parameters of one prefix, gathered under a key of `query`: `{'custom_field.': 'custom_field'}`. */
  readonly queryPrefixes?: Readonly<Record<string, string>>;
  readonly body?: InputSchema;
  /** Key under which a bare array body is taken. */
  readonly arrayBody?: string;
  /** Bytes; 1 MiB unless told (contract 3). */
  readonly bodyLimit?: number;
  /** The body is a multipart form with one file, which is read while it comes. */
  readonly uploads?: true;
  /** Whether unknown body keys are a 400 instead of being ignored. */
  readonly closedBody?: boolean;
  /** Names known fields that mean nothing beside the others of a body; they are told as ignored. */
  readonly passesOver?: (body: Readonly<Record<string, unknown>>) => readonly string[];
  readonly status: 200 | 201 | 204;
  /** Null: no body, or bytes where `binary` says so. */
  readonly output: JsonSchema | null;
  /** Answers a `stream` of any media type. */
  readonly binary?: boolean;
  readonly responseHeaders?: Readonly<Record<string, string>>;
  /**
   * Reads one object whose answer has a tag: `If-None-Match` may ask for it, and the PATCH and DELETE of the same path
   * take `If-Match`, which their service judges under the lock of the row (`ctx.precondition`).
   */
  readonly tagged?: true;
  /** A 400 of another form beside the validation errors. */
  readonly refusal?: JsonSchema;
  /**
   * Takes an Idempotency-Key. `atomic`: the work is one transaction, and the answer is kept by it. `stepwise`: it
   * commits more than once or in another process, and finds by `ctx.idempotencyKey` what an earlier try has done.
   */
  readonly idempotent?: 'atomic' | 'stepwise';
  /** What was made, as it is now: the answer to a repeat whose kept answer was erased. Throws 404 when it is gone. */
  readonly reread?: (ctx: Ctx, id: number, params: Record<string, unknown>) => Promise<unknown>;
  /** The operation always sends to customers: it is refused at once for a key that may not send without approval. */
  readonly sends?: true;
  /** The 409 of the operation itself: when it is given, and its text. */
  readonly conflicts?: { readonly when: string; readonly example: string };
  /** Path parameters where they are not 1, and a body; together a request that works in a fresh demo workspace. */
  readonly examples?: {
    readonly params?: Readonly<Record<string, number>>;
    readonly request?: unknown;
    /** Further requests of other kinds, by a name: what each does, and its body. */
    readonly more?: Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>;
  };
  readonly tools?: readonly ToolDefinition[];
  /**
   * Throws 404 when the object of the path does not exist. Runs before the body's errors are returned, so that these do
   * not reveal objects of other workspaces.
   */
  readonly locate?: (ctx: Ctx, params: Record<string, unknown>) => Promise<unknown>;
  readonly run: (ctx: Ctx, input: Record<string, unknown>) => Promise<unknown>;
}

type Simplify<T> = { [K in keyof T]: T[K] };
type ParamNames<P extends string> = P extends `${string}{${infer Name}}${infer Rest}` ? Name | ParamNames<Rest> : never;
type ParamsOf<P extends string, I extends string> = { [K in ParamNames<P>]: K extends I ? number : string };
type Values<S> = S extends yup.AnyObjectSchema ? yup.InferType<S> : unknown;

/** What an operation's function gets: path parameters, query and body in one flat record. */
type OperationInput<P extends string, I extends string, Q, B> = Simplify<ParamsOf<P, I> & Values<Q> & Values<B>>;

/** What the compiler knows of an operation besides: where it is, and what it answers. */
interface Answering<M, P, O> {
  readonly method: M;
  readonly path: P;
  readonly output: O;
}

type Declaration<
  M extends Method,
  P extends string,
  O extends JsonSchema | null,
  I extends string,
  Q extends InputSchema | undefined,
  B extends InputSchema | undefined,
> = Omit<Operation, 'method' | 'path' | 'output' | 'query' | 'body' | 'run' | 'locate' | 'intParams'> &
  Answering<M, P, O> & {
    readonly intParams?: readonly I[];
    readonly query?: Q;
    readonly body?: B;
    readonly locate?: (ctx: Ctx, params: ParamsOf<P, I>) => Promise<unknown>;
    readonly run: (ctx: Ctx, input: OperationInput<P, I, Q, B>) => Promise<unknown>;
  };

/** Declares one operation with its input typed from path, query and body. */
export function operation<
  M extends Method,
  P extends string,
  O extends JsonSchema | null,
  I extends ParamNames<P> = never,
  Q extends InputSchema | undefined = undefined,
  B extends InputSchema | undefined = undefined,
>(declaration: Declaration<M, P, O, I, Q, B>): Operation & Answering<M, P, O> {
  return declaration as unknown as Operation & Answering<M, P, O>;
}

/** Returns an answer with headers. */
export function reply<T>(value: T, headers: Record<string, string>): Reply<T> {
  return { kind: 'reply', value, headers };
}

/** Returns an answer of bytes. */
export function stream(given: Omit<Stream, 'kind'>): Stream {
  return { kind: 'stream', ...given };
}

/** Returns whether a result is a stream. */
export function isStream(value: unknown): value is Stream {
  return typeof value === 'object' && value !== null && (value as { kind?: unknown }).kind === 'stream';
}

/** Returns whether a result is a page. */
export function isPage(value: unknown): value is Page<unknown> {
  return typeof value === 'object' && value !== null && (value as { kind?: unknown }).kind === 'page';
}

/** Returns whether a result carries headers. */
export function isReply(value: unknown): value is Reply<unknown> {
  return typeof value === 'object' && value !== null && (value as { kind?: unknown }).kind === 'reply';
}

/** Returns where the neighbour of a list begins, by its Link header; undefined: it has none there. */
export function linkedOffset({ headers }: Reply<unknown>, rel: 'next' | 'prev'): string | undefined {
  return new RegExp(`[?&]offset=(\\d+)[^>]*>; rel="${rel}"`).exec(headers['Link'] ?? '')?.[1];
}
