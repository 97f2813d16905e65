import type { AnswerOf } from '../../../core/http/shapes';
import { fileKinds, mayRun } from '../../../core/files/contents';
import type { mediaShape } from '../../../services/resources/files/rows';
import { stringOf } from '../snippets';
import { words } from '../words';

const { thread: said } = words;

/** The message types that carry a file. */
export const mediaKinds = fileKinds;

/** The file of a message as its operation gives it. */
type WireMedia = Pick<NonNullable<AnswerOf<typeof mediaShape>>, 'status' | 'mime_type' | 'filename'>;

/** How the file of a message is shown. */
export interface MediaView {
  readonly kind: (typeof mediaKinds)[number];
  /** The address of our stored copy; null while there is none. */
  readonly src: string | null;
  readonly link: string | null;
  readonly name: string;
}

/** Returns how a file is shown: the stored copy, else its link or a word about its state. */
export function mediaOf(
  { id, media }: { readonly id: number; readonly media: WireMedia | null },
  kind: MediaView['kind'],
  content: Readonly<Record<string, unknown>>,
): MediaView {
  const name = stringOf(content['filename']) || media?.filename || said.files[kind];
  const state =
    media?.status === 'pending'
      ? said.fetched
      : media?.status === 'lost'
        ? said.lost
        : mayRun(media?.mime_type ?? '', name)
          ? said.program
          : '';
  return {
    kind,
    src: media?.status === 'stored' ? `media/${id}/` : null,
    link: safeLink(content['link']),
    name: `${name}${state}`,
  };
}

function safeLink(value: unknown): string | null {
  return typeof value === 'string' && /^https?:\/\//i.test(value) && URL.canParse(value) ? value : null;
}
