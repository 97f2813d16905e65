/** What is said of a file that is no text that we read: how the programs that write such files write another one. */
export const notText =
  'The file is not in UTF-8. Excel writes it by “Save As” as “CSV UTF-8 (Comma delimited)”, LibreOffice by “Save As” ' +
  'with “Edit filter settings” and “Unicode (UTF-8)”.';

/** Thrown where bytes are not the text that they should be. */
export class NotText extends Error {
  constructor() {
    super(notText);
    this.name = 'NotText';
  }
}

/** Reads the bytes of a text file piece by piece. */
interface FileDecoder {
  /** Returns the text of the next bytes, or of what is left. Throws `NotText`. */
  decode(bytes?: Uint8Array): string;
}

/**
 * Returns a decoder of one file: of UTF-8, with its mark or without, and of UTF-16 that says so by its mark ("Unicode
 * Text" of Excel). Code pages, of which nobody can tell one from another, UTF-16 without a mark and workbooks are no
 * text.
 */
export function fileDecoder(): FileDecoder {
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  let begun = Buffer.alloc(0);
  return {
    decode(bytes) {
      const isEnd = bytes === undefined;
      let next = bytes ?? new Uint8Array();
      if (!decoder) {
        next = begun = Buffer.concat([begun, next]);
        // A pipe may give its mark in pieces.
        if (begun.length < workbook.length && !isEnd) return '';
        decoder = new TextDecoder(encodingOf(begun), { fatal: true });
      }
      try {
        return decoder.decode(next, { stream: !isEnd });
      } catch {
        throw new NotText();
      }
    },
  };
}

/** How a workbook begins (it is a ZIP archive). */
const workbook = [0x50, 0x4b, 0x03, 0x04];

function encodingOf(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  // A letter and a zero: UTF-16 without its mark.
  if ((first === 0) !== (second === 0) && bytes.length > 1) throw new NotText();
  if (workbook.every((byte, place) => byte === bytes[place])) throw new NotText();
  return 'utf-8';
}

/** Returns the text of a whole file. Throws `NotText`. */
export function decodeFile(bytes: Uint8Array): string {
  const decoder = fileDecoder();
  return decoder.decode(bytes) + decoder.decode();
}
