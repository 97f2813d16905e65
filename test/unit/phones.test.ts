import { readFileSync } from 'node:fs';
import { getCountries, getExampleNumber, type CountryCode, type Examples } from 'libphonenumber-js/max';
import { Fault } from '../../api/core/http/fields';
import {
  lineOf,
  otherSpelling,
  platformDigits,
  readPhone,
  readTypedPhone,
  shownPhone,
  spellingsOf,
} from '../../api/core/phones';
import { fc } from '../support/properties';

const examples = JSON.parse(
  readFileSync(require.resolve('libphonenumber-js/examples.mobile.json'), 'utf8'),
) as Examples;
const digitsOfExample = (country: CountryCode): string => getExampleNumber(country, examples)?.number.slice(1) ?? '';
const aCountry = fc.constantFrom(...getCountries().filter((country) => digitsOfExample(country) !== ''));
const refusal = (read: string | Fault): string => (read instanceof Fault ? read.messages.join(' ') : `read ${read}`);

describe('a number as people and programs write it', () => {
  const invisible = fc.constantFrom('', '\u202a', '\u202c', '\u200b', '\u2060', '\ufeff', '\u00ad', '\u200e');
  const parting = fc.constantFrom('', ' ', '\u00a0', '\u2009', '-', '\u2011', '\u2013', '\u2212', '/', '.', '(', ')');

  it('is the same number whatever nobody sees in it, and whatever parts its digits', () => {
    fc.assert(
      fc.property(aCountry, fc.infiniteStream(fc.tuple(invisible, parting)), (country, between) => {
        const digits = digitsOfExample(country);
        const signs = [...digits];
        // A point before one last 0 is a decimal, and before one or two digits at the end may be one.
        const written = signs.map((digit, index) => {
          const [mark, part] = between.next().value as [string, string];
          const parts = index < 4 || index > 6 || part === '/' ? '' : part;
          return `${digit}${mark}${parts}`;
        });
        expect(readPhone(`\u202a+${written.join('')}\u202c`)).toBe(digits);
      }),
    );
  });

  it.each([
    ['4915112345678.0', '4915112345678'],
    ['4915112345678,0', '4915112345678'],
    ['+49 151 12345678.0', '4915112345678'],
    ['4915112345678.00', '4915112345678'],
    ['+49 (0)151 12345678', '4915112345678'],
    ['0049 (0) 151/12345678', '4915112345678'],
    ['49(0)15112345678', '4915112345678'],
    ['+49 0151 12345678', '4915112345678'],
    ['+44 (0)20 7946 0958', '442079460958'],
    ['00 49 151 12345678', '4915112345678'],
    ['+1.415.555.2696', '14155552696'],
    ['(+49) 151 12345678', '4915112345678'],
    ['[+49] 151\\123456-78', '4915112345678'],
    ['＋４９ １５１ １２３４５６７８', '4915112345678'],
    ['٤٩١٥١١٢٣٤٥٦٧٨', '4915112345678'],
    // Numbers of Italy begin with a zero.
    ['+39 06 12345678', '390612345678'],
    ['+39 (0)6 12345678', '390612345678'],
    ['+390612345678', '390612345678'],
    ['+1 (604) 555-2671', '16045552671'],
    ['+32 2 555.12.00', '3225551200'],
  ])('reads %j', (written, digits) => {
    expect(readPhone(written)).toBe(digits);
    expect(readTypedPhone(written.replace(/^(?=[4٤])/, '+'), null)).toBe(digits);
  });

  it.each([
    ['4.915112345678E+12', 'shortened'],
    ['4,9e12', 'shortened'],
    ['4915112345678.5', 'decimals'],
    ['4915112345678.25', 'decimals'],
    ['+4915112345678; +4915112345679', '4915112345678, 4915112345679'],
    ['4915112345678 / 4915112345679', '2 numbers'],
    ['+4915112345678+4915112345679', '2 numbers'],
    ['4915112345678 or 4915112345679', '2 numbers'],
    ['4915112345678,4915112345679', '2 numbers'],
    ['5551234/5551235', '2 numbers'],
    ['0151 65626407', 'Read 015165626407, which begins with 0'],
    ['+12345', 'Read +12345'],
    ['12345678901234567', 'this one 17'],
    ['++4915112345678', '"+" is no part'],
    ['49151²2345678', '"²" is no part'],
    ['+49 151 FLOWERS', 'Enter a valid phone number'],
    ['', 'Enter a valid phone number'],
    ['\u200b', 'Enter a valid phone number'],
    ['9'.repeat(100_000), 'Enter a valid phone number'],
    [4.5, 'Enter a valid phone number'],
    [null, 'Enter a valid phone number'],
  ])('refuses %j and says why', (written, why) => {
    expect(refusal(readPhone(written))).toContain(why);
    expect(refusal(readTypedPhone(written, 'DE'))).toContain(
      typeof written === 'string' && written.startsWith('0') ? '4915165626407' : why,
    );
  });

  it('names the same person when what was shown is sent back, over all countries', () => {
    fc.assert(
      fc.property(aCountry, fc.constantFrom(...getCountries()), (country, home) => {
        const digits = digitsOfExample(country);
        for (const shown of [`+${digits}`, shownPhone(digits)]) {
          expect(readPhone(shown)).toBe(digits);
          expect(readTypedPhone(shown, home)).toBe(digits);
        }
        expect(readPhone(digits)).toBe(digits);
      }),
      { numRuns: 500 },
    );
  });

  it('takes and shows any number of the platform as it is', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[1-9]\d{6,14}$/), (digits) => {
        expect(platformDigits(digits)).toBe(digits);
        for (const shown of [digits, `+${digits}`, shownPhone(digits)]) expect(readPhone(shown)).toBe(digits);
      }),
    );
  });

  it.each([
    ['DE', '0151 65626407', '4915165626407'],
    ['DE', '(030) 123456', '4930123456'],
    ['DE', '015165626407.0', '4915165626407'],
    ['DE', '14155552671', '14155552671'],
    ['US', '(415) 555-2696', '14155552696'],
    ['US', '1 415 555 2696', '14155552696'],
    ['GB', '07700 900123', '447700900123'],
    ['BR', '(11) 98107-3044', '5511981073044'],
    ['ES', '612 345 678', '34612345678'],
    ['IT', '06 12345678', '390612345678'],
    ['HU', '06 1 234 5678', '3612345678'],
    ['RU', '8 916 123-45-67', '79161234567'],
  ])('reads a number of the country %s: %s', (country, written, digits) => {
    expect(readTypedPhone(written, country)).toBe(digits);
  });

  it('refuses a number that can be two, and names both', () => {
    expect(refusal(readTypedPhone('41 79 123 45 67', 'DE'))).toContain(
      '41791234567 can be +4941791234567 or +41791234567',
    );
    expect(refusal(readTypedPhone('8 495 123-45-67', 'RU'))).toContain('+74951234567 or +84951234567');
    expect(readTypedPhone('+41 79 123 45 67', 'DE')).toBe('41791234567');
    expect(readPhone('41 79 123 45 67')).toBe('41791234567');
  });

  it('takes no local number for one of another country', () => {
    // +41 is Switzerland, where no number has eight digits.
    expect(refusal(readTypedPhone('(415) 555-2696', null))).toContain('Read +4155552696');
    expect(readTypedPhone('14155552696', null)).toBe('14155552696');
  });
});

describe('one line in several spellings', () => {
  const rest = (pattern: RegExp) => fc.stringMatching(pattern);
  const lines = fc.oneof(
    fc.tuple(rest(/^55[1-9]{2}$/), fc.constant('9'), rest(/^[6-9]\d{7}$/)),
    fc.tuple(fc.constant('52'), fc.constant('1'), rest(/^[2-9]\d{9}$/)),
    fc.tuple(fc.constant('54'), fc.constant('9'), rest(/^[1-3]\d{9}$/)),
  );

  it('knows both, from either', () => {
    fc.assert(
      fc.property(lines, ([before, mark, after]) => {
        const [long, short] = [before + mark + after, before + after];
        expect(otherSpelling(long)).toBe(short);
        expect(otherSpelling(short)).toBe(long);
        expect(lineOf(long)).toBe(lineOf(short));
        expect(spellingsOf(short)).toEqual([short, long]);
      }),
    );
  });

  it.each([
    '551131234567',
    '5511931234567',
    '551140041234',
    '390612345678',
    '16045552671',
    '15551230001',
    '2250712345678',
  ])('has one spelling alone: %s', (digits) => {
    expect(spellingsOf(digits)).toEqual([digits]);
    expect(lineOf(digits)).toBe(digits);
  });
});
