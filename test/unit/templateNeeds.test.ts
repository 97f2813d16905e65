import type { Context } from '../../dev/sandbox/context';
import type { Account, Template } from '../../dev/sandbox/types';
import { validateTemplate } from '../../dev/sandbox/wire/validateTemplate';
import type { TemplateContent } from '../../api/services/resources/templates/requiredParts';
import {
  checkComponents,
  componentsFromVariables,
  unfillableParts,
} from '../../api/services/resources/templates/parameters';
import { fc, runs } from '../support/properties';

type Json = Record<string, unknown>;

/** A part of a template as the platform's documents have it, and what a send gives for it; null: it needs nothing. */
interface Part {
  readonly part: Json;
  readonly given: Json | null;
}

const file = { link: 'https://files.example/a' };
const header = (format: string, more: Json, given: Json | null): Part => ({
  part: { type: 'HEADER', format, ...more },
  given: given && { type: 'header', parameters: [given] },
});
const headers: readonly Part[] = [
  header('TEXT', { text: 'Hello' }, null),
  header('TEXT', { text: 'Hello {{1}}' }, { type: 'text', text: 'Anna' }),
  header('IMAGE', {}, { type: 'image', image: file }),
  header('VIDEO', {}, { type: 'video', video: file }),
  header('DOCUMENT', {}, { type: 'document', document: file }),
  header('LOCATION', {}, { type: 'location', location: { latitude: '52.5', longitude: '13.4' } }),
  header('PRODUCT', {}, { type: 'product', product: { product_retailer_id: 'SKU-1', catalog_id: '1' } }),
];
const button = (type: string, more: Json, subType: string, given: Json | null): Part => ({
  part: { type, text: 'Tap', ...more },
  given: given && { type: 'button', sub_type: subType, parameters: [given] },
});
const action = { type: 'action', action: { thumbnail_product_retailer_id: 'SKU-1' } };
const buttons: readonly Part[] = [
  ...[
    'QUICK_REPLY',
    'PHONE_NUMBER',
    'CATALOG',
    'VOICE_CALL',
    'CALL_PERMISSION_REQUEST',
    'REQUEST_CONTACT_INFO',
    'FLOW',
  ].map((type) => button(type, {}, '', null)),
  button('URL', { url: 'https://shop.example/' }, 'url', null),
  button('URL', { url: 'https://shop.example/{{1}}' }, 'url', { type: 'text', text: '1' }),
  button('COPY_CODE', {}, 'copy_code', { type: 'coupon_code', coupon_code: 'SAVE' }),
  button('MPM', {}, 'mpm', action),
  button('SPM', {}, 'spm', action),
  button('ORDER_DETAILS', {}, 'order_details', { type: 'action', action: { order_details: {} } }),
];
const bodies: readonly Part[] = [
  { part: { type: 'BODY', text: 'News' }, given: null },
  {
    part: { type: 'BODY', text: 'News for {{1}} here' },
    given: { type: 'body', parameters: [{ type: 'text', text: 'Anna' }] },
  },
];
const offers: readonly Part[] = [
  {
    part: { type: 'LIMITED_TIME_OFFER', limited_time_offer: { text: 'Soon over', has_expiration: true } },
    given: {
      type: 'limited_time_offer',
      parameters: [{ type: 'limited_time_offer', limited_time_offer: { expiration_time_ms: Date.UTC(2100, 0, 1) } }],
    },
  },
  { part: { type: 'LIMITED_TIME_OFFER', limited_time_offer: { text: 'Always', has_expiration: false } }, given: null },
];

/** Components of a template, and of a send that gives all that they need. */
interface Pair {
  readonly components: readonly Json[];
  readonly given: readonly Json[];
}

const one = <T>(of: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...of);
const some = (of: readonly Part[]): fc.Arbitrary<readonly Part[]> =>
  fc.option(one(of)).map((part) => (part ? [part] : []));
const simple: fc.Arbitrary<Pair> = fc
  .tuple(some(headers), one(bodies), fc.array(one(buttons), { maxLength: 3 }))
  .map(([head, body, tapped]) => ({
    components: [
      ...head.map(({ part }) => part),
      body.part,
      ...(tapped.length > 0 ? [{ type: 'BUTTONS', buttons: tapped.map(({ part }) => part) }] : []),
    ],
    given: [
      ...[...head, body].flatMap(({ given }) => (given ? [given] : [])),
      ...tapped.flatMap(({ given }, index) => (given ? [{ ...given, index: String(index) }] : [])),
    ],
  }))
  // The product of this button is the one above it.
  .map(({ components, given }) => {
    const isProduct = components.some(({ format }) => format === 'PRODUCT');
    return { components, given: given.filter((item: Json) => !(isProduct && item['sub_type'] === 'spm')) };
  });
const whole: fc.Arbitrary<Pair> = fc
  .tuple(simple, some(offers), fc.option(fc.array(simple, { minLength: 1, maxLength: 3 })))
  .map(([{ components, given }, offer, cards]) => ({
    components: [
      ...components,
      ...offer.map(({ part }) => part),
      ...(cards ? [{ type: 'CAROUSEL', cards: cards.map((card) => ({ components: card.components })) }] : []),
    ],
    given: [
      ...given,
      ...offer.flatMap((item) => (item.given ? [item.given] : [])),
      ...(cards
        ? [{ type: 'carousel', cards: cards.map((card, place) => ({ card_index: place, components: card.given })) }]
        : []),
    ],
  }));

const contentOf = (components: readonly Json[]): TemplateContent => ({
  category: 'MARKETING',
  parameter_format: 'POSITIONAL',
  components,
});
const isTaken = (check: () => unknown): boolean => {
  try {
    check();
    return true;
  } catch {
    return false;
  }
};
/** Returns whether the platform, as the sandbox plays it, takes a message by the template. */
function platformTakes(components: readonly Json[], given: readonly Json[]): boolean {
  const template = { ...contentOf(components), name: 'news', status: 'APPROVED' } as unknown as Template;
  const context = {
    clock: () => Date.UTC(2026, 10, 24),
    state: { templateByName: () => template },
  } as unknown as Context;
  const content = { name: 'news', language: { code: 'en' }, components: given };
  return isTaken(() => validateTemplate(context, {} as Account, content, false));
}

describe('what a template needs', () => {
  it('is taken where all of it is given, and refused where the platform refuses it', () => {
    fc.assert(
      fc.property(whole, fc.infiniteStream(fc.nat(3)), ({ components, given }, drawn) => {
        const taken = (list: readonly Json[]): boolean => isTaken(() => checkComponents(contentOf(components), list));
        expect([taken(given), platformTakes(components, given)]).toEqual([true, true]);
        // One of four parts is left out.
        const less = given.filter(() => drawn.next().value !== 0);
        expect(taken(less)).toBe(platformTakes(components, less));
      }),
      { numRuns: runs(300) },
    );
  });

  it('is filled by variables alone, or refused before anybody is sent to', () => {
    fc.assert(
      fc.property(whole, ({ components }) => {
        const content = contentOf(components);
        const filled = componentsFromVariables(content, {}, () => 'x');
        expect(unfillableParts(content).length === 0).toBe(platformTakes(components, filled));
      }),
      { numRuns: runs(300) },
    );
  });

  it.each([
    [
      'a button',
      [
        { type: 'BODY', text: 'a' },
        { type: 'BUTTONS', buttons: [{ type: 'HOLOGRAM' }] },
      ],
      '"HOLOGRAM" button',
    ],
    [
      'a header',
      [
        { type: 'HEADER', format: 'SMELL' },
        { type: 'BODY', text: 'a' },
      ],
      '"SMELL" header',
    ],
    ['a component', [{ type: 'BODY', text: 'a' }, { type: 'ORDER_STATUS' }], '"ORDER_STATUS"'],
  ])('%s that nobody knows is refused by name', (_what, components, name) => {
    const words = `${name}: it is not known what this part of the template needs, so it cannot be sent.`;
    expect(unfillableParts(contentOf(components)).map(String)).toEqual([words]);
    expect(() => checkComponents(contentOf(components), [])).toThrow(words);
  });

  it('says which card lacks what', () => {
    const card = {
      components: [
        { type: 'HEADER', format: 'IMAGE' },
        { type: 'BODY', text: 'One' },
      ],
    };
    const content = contentOf([
      { type: 'BODY', text: 'a' },
      { type: 'CAROUSEL', cards: [card, card] },
    ]);
    const filled = [{ type: 'header', parameters: [{ type: 'image', image: file }] }];
    const carousel = (...cards: Json[]): Json[] => [{ type: 'carousel', cards }];
    expect(() => checkComponents(content, [])).toThrow('carousel: expected 2 cards but got 0.');
    expect(() =>
      checkComponents(content, carousel({ card_index: 0, components: filled }, { card_index: 1, components: [] })),
    ).toThrow('card 1: header: expected 1 parameter of type image but got 0.');
    expect(() => checkComponents(content, carousel({ card_index: 0, components: filled }, { card_index: 0 }))).toThrow(
      'carousel: expected one card with the card_index 0.',
    );
  });
});
