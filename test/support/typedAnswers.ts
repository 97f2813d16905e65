/*
 * What an answer looks like, by method and address, from the shapes that the operations themselves declare:
 *
 *   const { body } = await desk.api.get(`/api/v1/contacts/${handle}/`);
 *   body.tags;                                                       // readonly string[]
 *
 * A text whose address the compiler does not know (a `string`), a refusal and what no operation answers is a record of
 * anything: `body['detail']`.
 */
import type { AnswerOf } from '../../api/core/http/shapes';
import type { Declared } from '../../api/operations';

type Method = Declared['method'];

/** An address in parts, without its query: `/a/b/?c` is `['', 'a', 'b', '']`. */
type Parts<P extends string> = P extends `${infer Path}?${string}`
  ? Parts<Path>
  : P extends `${infer Part}/${infer Rest}`
    ? [Part, ...Parts<Rest>]
    : [P];

/** The words of which addresses are made; every other part of one names an object. */
type Word = Exclude<Parts<Declared['path']>[number], `{${string}}`>;

/** An address with a mark in place of each object: `/api/v1/contacts/{}/`. */
type Marked<All extends readonly string[]> = All extends readonly [
  infer Part extends string,
  ...infer Rest extends readonly string[],
]
  ? `${Part extends Word ? Part : '{}'}${Rest extends readonly [] ? '' : '/'}${Marked<Rest>}`
  : '';

/** What stands in an answer beside what its operation declares: a refusal has other fields. */
type Anything = Record<string, unknown>;

/** What was read is the reader's own. */
type Own<T> = T extends object ? { -readonly [K in keyof T]: Own<T[K]> } : T;

type Read<T> = unknown extends T ? Anything : T extends readonly unknown[] ? Own<T> : Own<T> & Anything;

type Answers = {
  [O in Declared as `${O['method']} ${Marked<Parts<O['path']>>}`]: [O['output']] extends [null]
    ? Anything
    : Read<AnswerOf<O['output']>>;
};

/** What an address answers to a method. */
export type AnswerAt<M extends Method, P extends string> = `${M} ${Marked<Parts<P>>}` extends infer Known extends
  keyof Answers
  ? Answers[Known]
  : Anything;
