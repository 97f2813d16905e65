import { fileKinds, mayRun } from '../../../core/files/contents';

/** The message types that carry a file. */
export const mediaKinds = fileKinds;

/** The file of a message as the API returns it. */
export interface WireMedia {
  readonly status: string;
  readonly mime_type: string;
  readonly filename: string;
}

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
  const name = stringOf(content['filename']) || media?.filename || mediaNames[kind];
  const state =
    media?.status === 'pending'
      ? ' · is being fetched…'
      : media?.status === 'lost'
        ? ' · lost'
        : mayRun(media?.mime_type ?? '', name)
          ? ' · a program: open it only if you know who sent it'
          : '';
  return {
    kind,
    src: media?.status === 'stored' ? `media/${id}/` : null,
    link: safeLink(content['link']),
    name: `${name}${state}`,
  };
}

const mediaNames = { image: 'Photo', video: 'Video', audio: 'Voice message', document: 'Document', sticker: 'Sticker' };

function safeLink(value: unknown): string | null {
  return typeof value === 'string' && /^https?:\/\//i.test(value) && URL.canParse(value) ? value : null;
}

/** Returns a text or number of a message as text; empty for anything else. */
export function stringOf(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}
