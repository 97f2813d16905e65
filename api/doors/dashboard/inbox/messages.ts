import type { AnswerOf } from '../../../core/http/shapes';
import type { messageShape } from '../../../services/resources/messages/serializer';
import { cut } from '../../../core/text/cut';
import type { TemplateItem } from '../../../services/resources/templates/serializer';
import { readRatingId } from '../../../services/resources/conversations/ratings';
import { isBlank } from '../../../core/http/visible';
import { dayOf } from '../../../core/zones';
import { formatDayHeading } from '../formats';
import type { PageRequest } from '../page';
import { authorOf, fallbacks, objectOf, snippetOf, stringOf } from '../snippets';
import { maxShownText, textParts, type TextPart } from '../texts';
import { words } from '../words';
import { failureOf, type Failure } from './failures';
import { readFilters } from './filters';
import { mediaKinds, mediaOf, type MediaView } from './media';
import { previewTemplate, sentValues, type TemplatePreview } from './templates';
import { tickOf, type Tick } from './ticks';

const { thread: said } = words;
const { labels } = said;

type Json = Record<string, unknown>;
type Place = Readonly<Record<string, string | number>>;

/** A message as its operations give it. */
export type WireMessage = AnswerOf<typeof messageShape>;

/** What a bubble shows. */
export interface MessageView {
  readonly id: number;
  readonly wamid: string;
  readonly mine: boolean;
  /** Classes of the bubble. */
  readonly style: string;
  /** Who wrote it, where it is ours. */
  readonly sender: string;
  readonly at: string;
  readonly type: string;
  readonly text: readonly TextPart[];
  /** The page with all of the text, and the address of the messages alone; null: this is all of it. */
  readonly rest: LinkView | null;
  readonly media: MediaView | null;
  readonly template: TemplatePreview | null;
  /** A line above: the kind of what is not plain text. */
  readonly label: string;
  readonly details: readonly { readonly text: string; readonly href?: string }[];
  readonly buttons: readonly string[];
  readonly quoted: string;
  /** That its author deleted it; empty: no. */
  readonly deleted: string;
  /** What it said before its author changed it. */
  readonly before: readonly { readonly text: string; readonly at: string }[];
  readonly reactions: readonly string[];
  /** What the team has answered it with; empty: nothing. */
  readonly reacted: string;
  /** How far a message of ours has come; null for one of the customer's. */
  readonly tick: Tick | null;
  readonly failure: Failure | null;
  /** The page on which its menu is open. */
  readonly menu: string;
  /** The page on which this one is answered, and the address of the box alone; null: it cannot be. */
  readonly answer: LinkView | null;
  /** Where the same is sent once more; null: it did not fail, or may not be. */
  readonly again: string | null;
}

/** A page, and the address of the part of it that changes. */
interface LinkView {
  readonly href: string;
  readonly part: string;
}

/** Messages of one day, the oldest first. */
export interface DayView {
  readonly day: string;
  readonly heading: string;
  readonly messages: readonly MessageView[];
}

/** The thread that messages are shown in. */
interface Thread {
  readonly path: string;
  /** Which messages are shown. */
  readonly span: { readonly size: string; readonly since: string; readonly at: string };
  readonly templates: readonly TemplateItem[];
  readonly isWindowOpen: boolean;
}

/** Turns a page of messages, newest first, into the days of a thread, oldest first. */
export function threadDays(page: PageRequest, messages: readonly WireMessage[], thread: Thread): DayView[] {
  const byWamid = new Map(messages.map((message) => [message.message_id, message]));
  const reactions = new Map<string, Map<string, string>>();
  const shown: WireMessage[] = [];
  for (const message of [...messages].reverse()) {
    const reaction = typeOf(message) === 'reaction' ? objectOf(contentOf(message)) : null;
    const target = String(reaction?.['message_id'] ?? '');
    // One reaction per side: a later one takes its place, an empty one takes it away.
    if (reaction && byWamid.has(target) && message.message_status !== 'failed')
      reactions.set(
        target,
        new Map([...(reactions.get(target) ?? []), [message.direction, String(reaction['emoji'] ?? '')]]),
      );
    else shown.push(message);
  }
  const days: { day: string; heading: string; messages: MessageView[] }[] = [];
  for (const message of shown) {
    const at = new Date(message.created_at);
    const day = dayOf(at, page.workspace.timezone);
    if (days.at(-1)?.day !== day)
      days.push({ day, heading: formatDayHeading(at, page.workspace.timezone, page.now), messages: [] });
    const quoted = message.reply_to_wamid === '' ? undefined : byWamid.get(message.reply_to_wamid);
    const own = reactions.get(message.message_id);
    const emojis = [...(own?.values() ?? [])].filter((emoji) => emoji !== '');
    days.at(-1)?.messages.push({
      ...viewOf(page, message, thread),
      quoted: quoted ? snippetOf(quoted) : message.reply_to_wamid === '' ? '' : said.earlierMessage,
      reactions: emojis,
      reacted: own?.get('outbound') ?? '',
    });
  }
  return days;
}

function viewOf(
  page: PageRequest,
  message: WireMessage,
  { path, span, templates, isWindowOpen }: Thread,
): Omit<MessageView, 'quoted' | 'reactions' | 'reacted'> {
  const mine = message.direction === 'outbound';
  const failure = failureOf(message);
  const filters = readFilters(page.query);
  const link = (query: Place, part: string, anchor = ''): LinkView => ({
    href: `${page.link(path, { ...filters, ...query })}${anchor}`,
    part: page.link(path, { ...filters, ...query, part }),
  });
  const mayWrite = page.may('messages.create');
  const mayRetry = mine && message.message_status === 'failed' && (isWindowOpen || typeOf(message) === 'template');
  const base = {
    id: message.id,
    wamid: message.message_id,
    mine,
    style: styleOf(message, failure !== null, span.at === String(message.id)),
    sender: mine ? authorOf(message) : '',
    at: message.created_at,
    type: typeOf(message),
    deleted: message.deleted_at === null ? '' : mine ? said.deletedBySender : said.deletedByCustomer,
    before: message.edits.map(({ body, at }) => ({ text: snippetOf({ body }), at })),
    tick: mine ? tickOf(message) : null,
    failure,
    menu: link({ at: message.id, menu: message.id }, '', `#m-${message.id}`).href,
    answer:
      mayWrite && message.message_id !== '' && typeOf(message) !== 'reaction'
        ? link({ reply_to: message.message_id }, 'composer')
        : null,
    again: mayWrite && mayRetry ? page.link(`${path}messages/`, filters) : null,
  };
  const { text, buttons, media: own, ...content } = neverEmpty(describe(message, templates), message);
  const kind = mediaKinds.find((one) => message.media?.mime_type.startsWith(`${one}/`)) ?? 'document';
  // A template or a question with buttons has its file in its header.
  const media = own ?? (message.media && mediaOf(message, kind, {}));
  const all: Place = span.since === '' ? { at: message.id } : { messages: span.size, since: span.since };
  const isCut = text.length > maxShownText && page.query['whole'] !== String(message.id);
  return {
    ...base,
    ...content,
    media: media && { ...media, src: media.src && `${path}${media.src}` },
    buttons: [...buttons, ...(content.template?.buttons ?? [])],
    text: textParts(isCut ? cut(text, maxShownText) : text),
    rest: isCut ? link({ ...all, whole: message.id }, 'messages', `#m-${message.id}`) : null,
  };
}

function styleOf(message: WireMessage, isFailed: boolean, isFound: boolean): string {
  const styles = [
    message.direction === 'outbound' && 'is-mine',
    message.deleted_at !== null && 'is-deleted',
    isFailed && 'is-failed',
    typeOf(message) === 'sticker' && 'is-bare',
    isFound && 'is-found',
  ];
  return styles.filter(Boolean).join(' ');
}

type Content = Pick<MessageView, 'media' | 'template' | 'label' | 'details' | 'buttons'> & { readonly text: string };
const empty: Content = { text: '', media: null, template: null, label: '', details: [], buttons: [] };

function describe(message: WireMessage, templates: readonly TemplateItem[]): Content {
  const type = typeOf(message);
  const raw = contentOf(message);
  const content = objectOf(raw);
  const media = mediaKinds.find((kind) => kind === type);
  if (media)
    return {
      ...empty,
      text: stringOf(content['caption']),
      media: mediaOf(message, media, content),
    };
  switch (type) {
    case 'text':
      return { ...empty, text: stringOf(content['body']) };
    case 'template':
      return describeTemplate(content, templates);
    case 'interactive':
      return describeInteractive(content);
    case 'button':
      return { ...empty, label: labels.button, text: stringOf(content['text']) };
    case 'location':
      return {
        ...empty,
        label: labels.location,
        text: [content['name'], content['address']].map(stringOf).filter(Boolean).join('\n'),
        details: [mapLink(content)],
      };
    case 'contacts':
      return {
        ...empty,
        label: labels.contacts,
        details: objectsOf(raw).flatMap((card) => [
          { text: stringOf(objectOf(card['name'])['formatted_name']) || labels.noName },
          ...objectsOf(card['phones']).map((phone) => ({ text: stringOf(phone['phone']) })),
          ...objectsOf(card['emails']).map((email) => ({ text: stringOf(email['email']) })),
        ]),
      };
    case 'order':
      return {
        ...empty,
        label: labels.order,
        text: stringOf(content['text']),
        details: objectsOf(content['product_items']).map((item) => {
          const [quantity, product] = [item['quantity'], item['product_retailer_id']].map(stringOf);
          return { text: `${quantity} × ${product}, ${stringOf(item['item_price'])} ${stringOf(item['currency'])}` };
        }),
      };
    case 'reaction':
      return {
        ...empty,
        label: labels.reaction,
        text: stringOf(content['emoji']) || labels.reactionBack,
      };
    case 'system':
      return { ...empty, label: labels.system, text: stringOf(content['body']) };
    default:
      return {
        ...empty,
        label: labels.unknown,
        text: reasonIn(message) || stringOf(content['type']) || type,
      };
  }
}

/** Returns what the platform says of a message that it does not hand on. */
function reasonIn(message: WireMessage): string {
  const [fault = {}] = objectsOf(objectOf(message.body)['errors']);
  return stringOf(objectOf(fault['error_data'])['details']) || stringOf(fault['title']);
}

/** Gives what shows nothing a word, so that no bubble is without one. */
function neverEmpty(content: Content, message: WireMessage): Content {
  const { text, media, template, label, details, buttons } = content;
  const shows = media ?? message.media ?? template ?? [text, label, ...details.map((one) => one.text), ...buttons];
  if (!Array.isArray(shows) || !shows.every(isBlank)) return content;
  return { ...content, label: fallbacks[typeOf(message)] ?? labels.invisible };
}

function describeTemplate(content: Json, templates: readonly TemplateItem[]): Content {
  const language = objectOf(content['language'])['code'] ?? content['language'];
  const known = templates.find(({ name, language: code }) => name === content['name'] && code === language);
  const values = sentValues(content['components']);
  if (known) return { ...empty, label: labels.template, template: previewTemplate(known.components, values) };
  return {
    ...empty,
    label: labels.unknownTemplate(stringOf(content['name'])),
    details: Object.values(values).map((text) => ({ text })),
  };
}

function describeInteractive(content: Json): Content {
  const type = stringOf(content['type']);
  const reply = objectOf(content[type]);
  if (type === 'button_reply' || type === 'list_reply') {
    const rated = type === 'button_reply' ? readRatingId(reply['id']) : null;
    const label = type === 'button_reply' ? labels.button : labels.list;
    return {
      ...empty,
      label: rated ? said.ratings[rated.rating] : label,
      text: [reply['title'], reply['description']].map(stringOf).filter(Boolean).join('\n'),
    };
  }
  if (type === 'nfm_reply')
    return {
      ...empty,
      label: labels.form,
      text: stringOf(reply['body']),
      details: formAnswers(reply['response_json']),
    };
  const action = objectOf(content['action']);
  const parameters = objectOf(action['parameters']);
  const rows = objectsOf(action['sections']).flatMap((section) => objectsOf(section['rows']));
  const products = objectsOf(action['sections']).flatMap((section) => objectsOf(section['product_items']));
  return {
    ...empty,
    text: [objectOf(content['header'])['text'], objectOf(content['body'])['text'], objectOf(content['footer'])['text']]
      .map(stringOf)
      .filter(Boolean)
      .join('\n\n'),
    details: [
      ...rows.map((row) => ({ text: [row['title'], row['description']].map(stringOf).filter(Boolean).join(': ') })),
      ...products.map((product) => ({ text: stringOf(product['product_retailer_id']) })),
      ...(type === 'product' ? [{ text: stringOf(action['product_retailer_id']) }] : []),
    ],
    buttons: [
      ...objectsOf(action['buttons']).map((button) => stringOf(objectOf(button['reply'])['title'])),
      ...[action['button'], parameters['display_text'], parameters['flow_cta']].map(stringOf),
      ...(type === 'location_request_message' ? [labels.sendLocation] : []),
      ...(type === 'catalog_message' ? [labels.catalogue] : []),
    ].filter(Boolean),
  };
}

function formAnswers(raw: unknown): { text: string }[] {
  try {
    const answers = objectOf(typeof raw === 'string' ? JSON.parse(raw) : raw);
    return Object.entries(answers)
      .filter(([name]) => name !== 'flow_token')
      .slice(0, 40)
      .map(([name, value]) => ({ text: `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}` }));
  } catch {
    return [{ text: labels.noAnswers }];
  }
}

function mapLink(content: Json): { text: string; href?: string } {
  const [latitude, longitude] = [Number(content['latitude']), Number(content['longitude'])];
  if (!Number.isFinite(latitude) || !Number.isFinite(longitude)) return { text: labels.noPlace };
  const place = `${latitude.toFixed(5)}, ${longitude.toFixed(5)}`;
  return {
    text: place,
    href: `https://www.openstreetmap.org/?mlat=${latitude}&mlon=${longitude}#map=16/${latitude}/${longitude}`,
  };
}

function typeOf(message: WireMessage): string {
  return stringOf(objectOf(message.body)['type']);
}

function contentOf(message: WireMessage): unknown {
  return objectOf(message.body)[typeOf(message)];
}

function objectsOf(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter((item): item is Json => typeof item === 'object' && item !== null) : [];
}
