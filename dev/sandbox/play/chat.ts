import type { Context } from '../context';
import { titleOf } from '../wire/errors';
import { bodyTextOf, buttonsOf, componentOf, renderText } from '../wire/validateTemplate';
import type { ChatRecord, InboundRecord, JsonObject, SentRecord, Template, User } from '../types';
import { dayMs, typingMs } from '../state';
import { corrections } from './inbound';
import { isObject, objectOf, objectsOf, textOf } from '../util';

const maxChats = 200;
const maxMessages = 200;
const mediaTypes = ['image', 'video', 'audio', 'document', 'sticker'];

/** Lists the customers who have a chat with this number, newest first; `q` filters by name, phone and id. */
export function chatList(context: Context, businessAccountId: string, phoneNumberId: string, q: string): JsonObject[] {
  const { state } = context;
  const wanted = q.toLowerCase();
  return state
    .users(businessAccountId)
    .filter(
      (user) =>
        !wanted ||
        [user.name, user.phone, user.username, user.user_id].some((text) => text?.toLowerCase().includes(wanted)),
    )
    .sort((a, b) => b.last_at - a.last_at || a.key.localeCompare(b.key, undefined, { numeric: true }))
    .slice(0, maxChats)
    .map((user) => {
      const last = state.chat(phoneNumberId, user.key).filter(visible).at(-1);
      return {
        ...userView(context, user, phoneNumberId),
        last: last ? { mine: last.direction === 'in', text: snippet(context, last), at: atOf(last) } : null,
      };
    });
}

export function userView(context: Context, user: User, phoneNumberId: string): JsonObject {
  const opened = user.windows[phoneNumberId];
  const until = opened === undefined ? null : opened + dayMs;
  return { ...user, window_until: until !== null && until > context.clock() ? until : null };
}

/** Returns the chat as the customer sees it, with what never arrived marked as such. */
export function chatView(context: Context, phoneNumberId: string, user: User): JsonObject {
  const messages = context.state.chat(phoneNumberId, user.key).slice(-maxMessages);
  const reactions = new Map<string, Record<string, string>>();
  for (const record of messages) {
    const reaction = objectOf(contentOf(record));
    if (record.type !== 'reaction' || (record.direction === 'out' && record.lost)) continue;
    const target = textOf(reaction['message_id']) ?? '';
    reactions.set(target, { ...reactions.get(target), [record.direction]: textOf(reaction['emoji']) ?? '' });
  }
  return {
    user: userView(context, user, phoneNumberId),
    typing: isTyping(context, messages),
    messages: messages
      .filter(({ type }) => !corrections.includes(type))
      .map((record) => ({
        ...(record.direction === 'in' ? inboundView(record) : outboundView(context, record)),
        ...correctionOf(messages, record),
        quoted: quoteOf(context, record),
        reactions: Object.values(reactions.get(record.wamid) ?? {}).filter(Boolean),
      })),
  };
}

/** Returns whether the business is shown as typing: its own next message ends that. */
function isTyping(context: Context, messages: readonly ChatRecord[]): boolean {
  const told = Math.max(0, ...messages.map((record) => (record.direction === 'in' ? (record.typing_at ?? 0) : 0)));
  const answered = messages.some((record) => record.direction === 'out' && record.accepted_at >= told);
  return told > 0 && !answered && told + typingMs > context.clock();
}

function visible(record: ChatRecord): boolean {
  return record.type !== 'reaction' && record.type !== 'system' && !corrections.includes(record.type);
}

/** Returns what the customer's newest correction of a message changes in its view. */
function correctionOf(messages: readonly ChatRecord[], { wamid }: ChatRecord): JsonObject {
  const last = messages.findLast(
    (one) => corrections.includes(one.type) && objectOf(contentOf(one))['original_message_id'] === wamid,
  );
  if (!last) return {};
  if (last.type === 'revoke') return { text: 'You deleted this message.', note: 'Deleted' };
  const edited = objectOf(objectOf(contentOf(last))['message']);
  const type = textOf(edited['type']) ?? 'text';
  return { ...describe(type, edited[type]), note: 'Edited' };
}

function atOf(record: ChatRecord): number {
  return record.direction === 'in' ? record.at : record.accepted_at;
}

function contentOf(record: ChatRecord): unknown {
  return record.direction === 'in' ? record.message[record.type] : record.body?.[record.type];
}

function snippet(context: Context, record: ChatRecord): string {
  const view = record.direction === 'in' ? inboundView(record) : outboundView(context, record);
  return (textOf(view['text']) || `[${record.type}]`).slice(0, 80);
}

function quoteOf(context: Context, record: ChatRecord): string | null {
  const source = record.direction === 'in' ? record.message : record.body;
  const given = objectOf(source?.['context']);
  const id = textOf(given['id'] ?? given['message_id']);
  const quoted = id ? context.state.messages.get(id) : undefined;
  return quoted ? snippet(context, quoted) : id ? 'Message' : null;
}

function inboundView(record: InboundRecord): JsonObject {
  const base = {
    wamid: record.wamid,
    mine: true,
    type: record.type,
    at: record.at,
    ticks: record.read_at ? 'read' : 'delivered',
  };
  const note = record.message['referral']
    ? `From an ad: ${textOf(objectOf(record.message['referral'])['headline']) ?? ''}`
    : undefined;
  return { ...base, note, ...describe(record.type, contentOf(record)) };
}

function outboundView(context: Context, record: SentRecord): JsonObject {
  const last = record.statuses.at(-1);
  const failed = record.statuses.find((entry) => entry.status === 'failed');
  const base: JsonObject = {
    wamid: record.wamid,
    mine: false,
    type: record.type,
    at: record.accepted_at,
    ticks: last?.status ?? 'accepted',
    lost: record.lost,
    failure: failed ? `${failed.code}: ${titleOf(failed.code ?? 0)}` : undefined,
    category: record.category,
    answered: record.answered === 'ok' ? undefined : record.answered,
  };
  if (!record.body) return { ...base, text: `[${record.type}, body not kept]` };
  const content = objectOf(record.body[record.type]);
  if (record.type === 'template') return { ...base, ...templateView(context, record, content) };
  if (record.type === 'interactive') return { ...base, ...interactiveView(content) };
  return { ...base, ...describe(record.type, record.body[record.type]) };
}

function describe(type: string, content: unknown): JsonObject {
  const given = objectOf(content);
  if (type === 'text') return { text: given['body'] };
  if (mediaTypes.includes(type)) return { text: given['caption'], media: mediaView(type, given) };
  switch (type) {
    case 'location':
      return {
        text: [given['name'], given['address']].filter(Boolean).join(', ') || 'Location',
        detail: `${String(given['latitude'])}, ${String(given['longitude'])}`,
        label: 'Location',
      };
    case 'contacts': {
      const cards = objectsOf(content);
      return {
        text: cards.map((card) => textOf(objectOf(card['name'])['formatted_name'])).join(', '),
        detail: cards.flatMap((card) => objectsOf(card['phones']).map((phone) => textOf(phone['phone']))).join(', '),
        label: 'Contact card',
      };
    }
    case 'reaction':
      return { text: given['emoji'] || '(reaction removed)' };
    case 'button':
      return { text: given['text'], label: 'Button' };
    case 'interactive':
      return { ...replyView(given), label: 'Reply' };
    case 'order':
      return {
        text: given['text'] ?? 'Order',
        detail: objectsOf(given['product_items'])
          .map((item) => `${String(item['quantity'])} × ${String(item['product_retailer_id'])}`)
          .join(', '),
        label: 'Order',
      };
    case 'system':
      return { text: given['body'], system: true };
    default:
      return { text: `Message of type ${type}`, label: 'Not shown' };
  }
}

function replyView(given: JsonObject): JsonObject {
  const reply = objectOf(given[String(given['type'])]);
  if (given['type'] === 'nfm_reply') return { text: 'Form sent', detail: textOf(reply['response_json']) };
  return { text: reply['title'], detail: reply['description'] };
}

function mediaView(type: string, given: JsonObject): JsonObject {
  const id = textOf(given['id']);
  const link = textOf(given['link']);
  return {
    type,
    url: link ?? (id ? `/_control/media/${encodeURIComponent(id)}` : null),
    filename: given['filename'] ?? null,
  };
}

function headerView(header: JsonObject): JsonObject {
  const kind = textOf(header['type']) ?? '';
  return kind === 'text'
    ? { header: header['text'] }
    : mediaTypes.includes(kind)
      ? { media: mediaView(kind, objectOf(header[kind])) }
      : {};
}

function interactiveView(content: JsonObject): JsonObject {
  const action = objectOf(content['action']);
  const parameters = objectOf(action['parameters']);
  const out: JsonObject = {
    text: objectOf(content['body'])['text'],
    footer: objectOf(content['footer'])['text'],
    ...headerView(objectOf(content['header'])),
  };
  switch (content['type']) {
    case 'button':
      return { ...out, buttons: objectsOf(action['buttons']).map((button) => replyButton(objectOf(button['reply']))) };
    case 'list':
      return { ...out, list: { button: action['button'], sections: action['sections'] } };
    case 'flow':
      return {
        ...out,
        buttons: [
          {
            title: parameters['flow_cta'],
            flow: { flow_token: parameters['flow_token'] ?? 'unused', flow_id: parameters['flow_id'] },
          },
        ],
      };
    case 'cta_url':
      return { ...out, buttons: [{ title: parameters['display_text'], url: parameters['url'] }] };
    case 'location_request_message':
      return { ...out, buttons: [{ title: 'Send location', send: { type: 'location' } }] };
    case 'product':
    case 'product_list':
    case 'catalog_message':
      return { ...out, text: out['text'] ?? 'Product', buttons: [{ title: 'Order', send: { type: 'order' } }] };
    default:
      return out;
  }
}

function replyButton(reply: JsonObject): JsonObject {
  return {
    title: reply['title'],
    send: {
      type: 'interactive',
      interactive: { type: 'button_reply', button_reply: { id: reply['id'], title: reply['title'] } },
    },
  };
}

function templateView(context: Context, record: SentRecord, content: JsonObject): JsonObject {
  const account = context.state.accounts.get(record.business_account_id);
  const language = textOf(objectOf(content['language'])['code']) ?? '';
  const template = account ? context.state.templateByName(account, String(content['name']), language) : undefined;
  if (!template) return { text: `[template ${String(content['name'])}]` };
  const parameters = (type: string): JsonObject[] =>
    objectsOf(
      objectsOf(content['components']).find((component) => String(component['type']).toLowerCase() === type)?.[
        'parameters'
      ],
    );
  const header = componentOf(template, 'HEADER');
  const headerText = textOf(header?.['text']);
  const sentHeader = parameters('header')[0];
  return {
    text: renderText(template, bodyTextOf(template), parameters('body')),
    ...(headerText
      ? { header: renderText(template, headerText, parameters('header')) }
      : sentHeader
        ? headerView(sentHeader)
        : {}),
    footer: componentOf(template, 'FOOTER')?.['text'],
    template: template.name,
    buttons: templateButtons(template, objectsOf(content['components'])),
  };
}

function templateButtons(template: Template, components: JsonObject[]): JsonObject[] {
  return buttonsOf(template).map((button, index) => {
    const sent = components.find(
      (component) => String(component['type']).toLowerCase() === 'button' && Number(component['index'] ?? 0) === index,
    );
    const parameter = objectsOf(sent?.['parameters'])[0];
    const title = textOf(button['text']) ?? String(button['type']);
    if (button['type'] === 'QUICK_REPLY')
      return {
        title,
        send: { type: 'button', button: { payload: textOf(parameter?.['payload']) ?? title, text: title } },
      };
    if (button['type'] === 'FLOW') {
      const action = isObject(parameter?.['action']) ? parameter['action'] : {};
      return { title, flow: { flow_token: textOf(action['flow_token']) ?? 'unused', flow_id: button['flow_id'] } };
    }
    return { title, url: (textOf(button['url']) ?? '').replace(/\{\{1\}\}/, textOf(parameter?.['text']) ?? '') };
  });
}
