import { deflateSync } from 'node:zlib';
import type { JsonObject } from '../types';

/** Computes a CRC-32: `zlib.crc32` is younger than the oldest Node that we run on. */
function crc32(data: Buffer): number {
  let crc = 0xffffffff;
  for (const byte of data) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}

function pngChunk(type: string, data: Buffer): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt32BE(data.length);
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const tail = Buffer.alloc(4);
  tail.writeUInt32BE(crc32(body));
  return Buffer.concat([head, body, tail]);
}

/** Draws a small landscape, so that the page has something to show. */
function samplePng(width: number, height: number): Buffer {
  const rows: Buffer[] = [];
  for (let y = 0; y < height; y += 1) {
    const row = Buffer.alloc(1 + width * 3);
    for (let x = 0; x < width; x += 1) {
      const far = height * 0.55 + Math.sin(x / 23) * 14 + Math.sin(x / 9) * 4;
      const near = height * 0.75 + Math.sin(x / 31 + 2) * 12;
      const sun = Math.hypot(x - width * 0.72, y - height * 0.28) < 17;
      const sky: [number, number, number] = [120 + y, 180 + y * 0.4, 235];
      const [r, g, b] = y > near ? [38, 92, 74] : y > far ? [74, 134, 110] : sun ? [255, 226, 140] : sky;
      row.set([Math.min(255, r), Math.min(255, g), Math.min(255, b)], 1 + x * 3);
    }
    rows.push(row);
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    pngChunk('IHDR', header),
    pngChunk('IDAT', deflateSync(Buffer.concat(rows))),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

const PDF = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 120]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>endobj
4 0 obj<</Length 47>>stream
BT /F1 18 Tf 30 55 Td (Sample document) Tj ET
endstream endobj
5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj
trailer<</Root 1 0 R>>
%%EOF
`;
const webp = Buffer.from('UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA', 'base64');
const ogg = Buffer.concat([
  Buffer.from('OggS\u0000\u0002', 'latin1'),
  Buffer.alloc(20),
  Buffer.from('\u0001\u0013OpusHead\u0001\u0001\u0038\u0001\u0080\u00bb\u0000\u0000\u0000\u0000\u0000', 'latin1'),
]);
const mp4 = Buffer.from(
  '\u0000\u0000\u0000\u0018ftypmp42\u0000\u0000\u0000\u0000mp42isom\u0000\u0000\u0000\u0008mdat',
  'latin1',
);
let png: Buffer | undefined;

export function sampleFile(type: string): { mime: string; name: string; data: Buffer } {
  switch (type) {
    case 'document':
      return { mime: 'application/pdf', name: 'sample.pdf', data: Buffer.from(PDF) };
    case 'audio':
      return { mime: 'audio/ogg; codecs=opus', name: 'voice.ogg', data: ogg };
    case 'video':
      return { mime: 'video/mp4', name: 'clip.mp4', data: mp4 };
    case 'sticker':
      return { mime: 'image/webp', name: 'sticker.webp', data: webp };
    default:
      png ??= samplePng(240, 150);
      return { mime: 'image/png', name: 'photo.png', data: png };
  }
}

/** Returns a plausible body of an inbound type, for callers that give only the type. */
export function sampleContent(
  type: string,
  catalogId: string,
  retailerId: string,
): JsonObject | JsonObject[] | undefined {
  switch (type) {
    case 'text':
      return { body: 'Hello' };
    case 'location':
      return {
        latitude: 52.520008,
        longitude: 13.404954,
        name: 'Alexanderplatz',
        address: 'Alexanderplatz 1, 10178 Berlin',
      };
    case 'contacts':
      return [
        {
          name: { formatted_name: 'Maria Keller', first_name: 'Maria', last_name: 'Keller' },
          phones: [{ phone: '+49 30 901820', wa_id: '4930901820', type: 'WORK' }],
          emails: [{ email: 'maria@example.com', type: 'WORK' }],
        },
      ];
    case 'button':
      return { payload: 'YES', text: 'Yes' };
    case 'interactive':
      return { type: 'button_reply', button_reply: { id: 'yes', title: 'Yes' } };
    case 'order':
      return {
        catalog_id: catalogId,
        text: 'Please deliver after 5 pm',
        product_items: [{ product_retailer_id: retailerId, quantity: 2, item_price: 12.5, currency: 'USD' }],
      };
    case 'unsupported':
      return { type: 'poll' };
    default:
      return undefined;
  }
}
