import { raw } from 'hono/html';
import type { JSX } from 'hono/jsx/jsx-runtime';
import { drawIcon, type IconName } from './icons';

/** A part of a page: texts and attributes in it are escaped when it is rendered. */
export type Html = JSX.Element;

/** Returns a part as text for the browser. Throws for one that waits for something: pages read before they draw. */
export function render(part: Html): string {
  const text: unknown = part instanceof Promise ? part : part.toString();
  if (typeof text !== 'string') throw new TypeError('a part of a page waits for something');
  return text;
}

/** Puts in HTML as it is: what we draw ourselves, as a time or a QR code. Nothing that people wrote. */
export function Raw({ html }: { readonly html: string }): Html {
  return raw(html);
}

/** An icon; with a label where it stands alone, else it is decoration. */
export function Icon({ name, label }: { readonly name: IconName; readonly label?: string }): Html {
  return raw(drawIcon(name, label));
}
