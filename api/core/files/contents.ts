import { cut } from '../text/cut';
/** The types of message that carry a file. */
export const fileKinds = ['image', 'video', 'audio', 'document', 'sticker'] as const;
export type FileKind = (typeof fileKinds)[number];

const mebibyte = 1_048_576;

const pictures = ['image/jpeg', 'image/png'];
const videos = ['video/mp4', 'video/3gpp'];
const sounds = ['audio/aac', 'audio/amr', 'audio/mpeg', 'audio/mp4', 'audio/ogg'];
const office = 'application/vnd.openxmlformats-officedocument.';
/** Documents that are zip archives, by the ends of their names; they are never opened to find out. */
const zipped: Readonly<Record<string, string>> = {
  docx: `${office}wordprocessingml.document`,
  xlsx: `${office}spreadsheetml.sheet`,
  pptx: `${office}presentationml.presentation`,
};
/** Documents that are compound files, likewise. */
const compound: Readonly<Record<string, string>> = {
  doc: 'application/msword',
  xls: 'application/vnd.ms-excel',
  ppt: 'application/vnd.ms-powerpoint',
};
const texts = ['text/plain', 'text/csv'];
const others = ['application/pdf', ...texts, ...Object.values(zipped), ...Object.values(compound)];

/** What the platform takes as each type of message, and how large (upstream 3.1). */
export const fileLimits: Readonly<
  Record<FileKind, { readonly contents: readonly string[]; readonly maxBytes: number }>
> = {
  image: { contents: pictures, maxBytes: 5 * mebibyte },
  video: { contents: videos, maxBytes: 16 * mebibyte },
  audio: { contents: sounds, maxBytes: 16 * mebibyte },
  sticker: { contents: ['image/webp'], maxBytes: mebibyte / 2 },
  document: { contents: [...others, ...pictures, ...videos, ...sounds, 'image/webp'], maxBytes: 100 * mebibyte },
};

/** No file of any type may be larger. */
export const maxFileBytes = Math.max(...Object.values(fileLimits).map(({ maxBytes }) => maxBytes));

/** Returns the largest size in bytes that a type of message allows for a MIME type; null where none takes it. */
export function maxBytesOf(mimeType: string): number | null {
  const sizes = Object.values(fileLimits).flatMap((limit) =>
    limit.contents.includes(mimeType) ? [limit.maxBytes] : [],
  );
  return sizes.length > 0 ? Math.max(...sizes) : null;
}

/** Whether a browser may show files of a MIME type inside a page: those of these types can run no script. */
export const isShownInline = (mimeType: string): boolean =>
  /^(image\/(jpeg|png|webp|gif)|audio\/[\w.+-]+|video\/[\w.+-]+)$/.test(mimeType);

/** Whether a file may run where somebody opens it, by its content or by the end of its name. */
export const mayRun = (mimeType: string, filename: string): boolean =>
  /^(application\/(x-(msdownload|elf|mach-binary|ms-shortcut)|java-vm|xhtml\+xml)|text\/html|image\/svg\+xml)$/.test(
    mimeType,
  ) || /\.(exe|scr|com|bat|cmd|msi|ps1|vbs|jse?|wsf|hta|lnk|jar|apk|sh|x?html?|svg)$/i.test(filename);

/** How many of a file's first bytes are enough to detect its type. */
export const headBytes = 4_100;

/** The detector's names of types that the platform names differently. */
const aliases: Readonly<Record<string, string>> = {
  'audio/x-m4a': 'audio/mp4',
  'audio/vnd.wave': 'audio/wav',
  'video/3gpp2': 'video/3gpp',
};

/**
 * Returns the MIME type of a file, judged by its first bytes. The declared type is believed only where the bytes leave
 * it open: which kind of office document, which kind of text, whether an MP4 has only sound.
 */
export async function contentOf(head: Buffer, declared: string, filename: string): Promise<string> {
  const said = declared.split(';')[0]?.trim().toLowerCase() ?? '';
  const ending = /\.(\w+)$/.exec(filename.toLowerCase())?.[1] ?? '';
  const oneOf = (known: Readonly<Record<string, string>>, otherwise: string): string =>
    Object.values(known).includes(said) ? said : (known[ending] ?? otherwise);
  // Not given to the detector: it would unpack the archive to find out.
  if (head.subarray(0, 4).equals(Buffer.from('PK\u0003\u0004', 'latin1'))) return oneOf(zipped, 'application/zip');
  if (head.subarray(0, 4).toString('hex') === 'd0cf11e0') return oneOf(compound, 'application/x-cfb');

  const { fileTypeFromBuffer } = await import('file-type');
  const found = await fileTypeFromBuffer(head).catch(() => undefined);
  if (found !== undefined) {
    const mime = found.mime.split(';')[0] ?? '';
    if (mime === 'video/mp4' && said === 'audio/mp4') return said;
    return aliases[mime] ?? mime;
  }
  if (!isText(head)) return 'application/octet-stream';
  if (said === '' || said === 'application/octet-stream') return ending === 'csv' ? 'text/csv' : 'text/plain';
  // A type whose files begin with a signature would have been detected above, so the declaration is false. Web pages
  // and SVG have none: the declaration is believed.
  const hasSignature = isShownInline(said) || (maxBytesOf(said) !== null && !texts.includes(said));
  return hasSignature ? 'text/plain' : said;
}

function isText(head: Buffer): boolean {
  return !head.some((byte) => byte < 0x20 && ![0x09, 0x0a, 0x0c, 0x0d].includes(byte));
}

/** Returns a file name from outside without what could be a path, a command, or a deception of the reader. */
export function cleanFilename(name: string): string {
  const shown = (name.split(/[/\\]/).at(-1) ?? '').replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}"]/gu,
    '_',
  );
  return cut(shown, 240);
}
