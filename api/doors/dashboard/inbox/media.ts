import { fileKinds } from '../../../core/files/contents';

/** The types of message that are a file. */
export const mediaKinds = fileKinds;

/** What the API says of the file of a message. */
export interface WireMedia {
  readonly status: string;
  readonly mime_type: string;
  readonly filename: string;
}

/** A file of a message: shown in place, or offered. */
export interface MediaView {
  readonly kind: (typeof mediaKinds)[number];
  /** Ours, through the media operation; null where we do not have it. */
  readonly src: string | null;
  readonly link: string | null;
  readonly name: string;
}

/** Returns what is shown of a file: itself once we have it, else where it is or what became of it. */
export function mediaOf(
  { id, media }: { readonly id: number; readonly media: WireMedia | null },
  kind: MediaView['kind'],
  content: Readonly<Record<string, unknown>>,
): MediaView {
  const name = stringOf(content['filename']) || media?.filename || mediaNames[kind];
  return {
    kind,
    src: media?.status === 'stored' ? `media/${id}/` : null,
    link: safeLink(content['link']),
    name:
      media?.status === 'pending' ? `${name} · is being fetched…` : media?.status === 'lost' ? `${name} · lost` : name,
  };
}

const mediaNames = { image: 'Photo', video: 'Video', audio: 'Voice message', document: 'Document', sticker: 'Sticker' };

function safeLink(value: unknown): string | null {
  return typeof value === 'string' && /^https?:\/\//i.test(value) && URL.canParse(value) ? value : null;
}

/** Returns a text of a message; empty where there is none. */
export function stringOf(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}
