import type { Html } from './html';

/** Colours of faces (app.css): the eye finds a person again by theirs. */
const hues = 6;

/** Who a face is of. */
export interface FaceGiven {
  readonly id: number;
  readonly name: string;
  /** Of 20, 28 or 40 pixels: in a line of text, in a list, in a panel. */
  readonly size?: 'small' | 'large';
}

/** A name may begin with a sign of several code units. */
const initialOf = (name: string): string => ([...name.replace(/^[@+]/, '')][0] ?? '').toUpperCase();

/** The face of a person: the same wherever they are shown. */
export function Face({ id, name, size }: FaceGiven): Html {
  return (
    <span class={`avatar face${size ? ` face-${size}` : ''} hue-${id % hues}`} aria-hidden="true">
      {initialOf(name)}
    </span>
  );
}
