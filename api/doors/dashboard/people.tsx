import { initialOf } from './formats';
import type { Html } from './html';

/** Colours of faces (app.css): the eye finds a person again by theirs. */
const hues = 6;

interface FaceGiven {
  readonly id: number;
  readonly name: string;
  /** Of 20, 28 or 40 pixels: in a line of text, in a list, in a panel. */
  readonly size?: 'small' | 'large';
}

/** The face of a person: the same wherever they are shown. */
export function Face({ id, name, size }: FaceGiven): Html {
  return (
    <span class={`avatar face${size ? ` face-${size}` : ''} hue-${id % hues}`} aria-hidden="true">
      {initialOf(name)}
    </span>
  );
}
