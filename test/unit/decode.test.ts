import { decodeFile, fileDecoder, NotText } from '../../api/core/text/decode';
import { fc, runs } from '../support/properties';

const encoded = (text: string): readonly Buffer[] => {
  const wide = Buffer.from(`\uFEFF${text}`, 'utf16le');
  return [Buffer.from(text), Buffer.from(`\uFEFF${text}`), wide, Buffer.from(wide).swap16()];
};

test('a text comes back from each encoding that says what it is, in pieces of any size', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', minLength: 2 }), fc.integer({ min: 1, max: 7 }), (text, size) => {
      // A mark of its own at the beginning is no text, and zeros look like UTF-16.
      fc.pre(!/^\uFEFF|\0/.test(text));
      for (const bytes of encoded(text)) {
        const decoder = fileDecoder();
        let read = '';
        for (let at = 0; at < bytes.length; at += size) read += decoder.decode(bytes.subarray(at, at + size));
        expect(read + decoder.decode()).toBe(text);
        expect(decodeFile(bytes)).toBe(text);
      }
    }),
    { numRuns: runs(100) },
  );
});

test.each([
  ['a Windows code page', Buffer.from('phone,name\n+15551230001,Zo\xeb\n', 'latin1')],
  ['UTF-8 that is cut', Buffer.from('Zo\xc3', 'latin1')],
  ['UTF-16 without a mark', Buffer.from('phone', 'utf16le')],
  ['UTF-16 with half a character', Buffer.concat([Buffer.from('\uFEFFa', 'utf16le'), Buffer.from([0x3d, 0xd8])])],
  ['a workbook', Buffer.from('504b03041400060008000000210062ee9d68', 'hex')],
])('%s is no text, and it is said what to press', (_what, bytes) => {
  expect(() => decodeFile(bytes)).toThrow(NotText);
  expect(() => decodeFile(bytes)).toThrow(/Save As” as “CSV UTF-8/);
});
