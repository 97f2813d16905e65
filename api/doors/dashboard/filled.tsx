import type { Child } from 'hono/jsx';
import type { Html } from './html';

interface FilledGiven {
  readonly text: string;
  readonly parts: Readonly<Record<string, Child>>;
}

/** A text of `words/` with parts of the page in it: `{name}` is where the part of that name stands. */
export function Filled({ text, parts }: FilledGiven): Html {
  return (
    <>
      {text.split(/\{(\w+)\}/).map((piece, index) => {
        if (index % 2 === 0) return piece;
        if (!(piece in parts)) throw new Error(`no part is given for {${piece}} of “${text}”`);
        return parts[piece];
      })}
    </>
  );
}
