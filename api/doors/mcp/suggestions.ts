import { cut } from '../../core/text/cut';
import type { Scope } from '../../core/http/access';
import type { Ctx } from '../../core/context';
import type { AppError } from '../../core/http/errors';
import { printable } from '../../core/http/fields';
import { Reason, type Message } from '../../core/http/reasons';
import { listContacts } from '../../services/resources/contacts/lists';
import { listFields } from '../../services/resources/customFields/service';
import { listPhoneNumbers } from '../../services/resources/phoneNumbers/service';
import type { refusalTexts } from '../../services/resources/reasons';
import { findTicket } from '../../services/resources/tickets/queries';
import { visible } from './present';
import { kinds as namedKinds, listNamed, maxOffered, quoted, shownNamed, within, type Kind } from './references';

type Offered = Kind | 'contact' | 'phone number' | 'custom field';

/** The kind of object that an argument refers to, the same in all tools. */
const kinds: Readonly<Record<string, Offered>> = {
  ...namedKinds,
  template: 'template',
  receiver: 'contact',
  receiver_id: 'contact',
  affected_contact: 'contact',
  affected_receiver_id: 'contact',
  affected_contact_ids: 'contact',
  affected_receiver_ids: 'contact',
  chat_id: 'contact',
  phone_number_id: 'phone number',
  msgapp_business_account_id: 'phone number',
  custom_fields: 'custom field',
  custom_field: 'custom field',
};

/** Why a reference fits nothing, or nothing here. */
const aboutReferences: readonly (keyof typeof refusalTexts)[] = [
  'gone',
  'templateNotHere',
  'templateElsewhere',
  'onlyApproved',
  'onlyApprovedThis',
  'wrongPipeline',
  'noCustomField',
  'noFieldHere',
];

const hasKey = (message: Message, ...keys: readonly string[]): boolean =>
  message instanceof Reason &&
  (keys.includes(message.key) ||
    Object.values(message.given).some((inner) => inner instanceof Reason && hasKey(inner, ...keys)));

/** A part of what can be chosen, and of how many. */
interface Choices {
  readonly shown: readonly string[];
  readonly total: number;
}

/**
 * Returns the words of a refusal, with what can be chosen in place of each reference that fits nothing: at most ten,
 * the rest counted, as far as the connection's scopes reach.
 */
export async function withChoices(
  ctx: Ctx,
  args: Readonly<Record<string, unknown>>,
  refusal: AppError,
  words: string,
): Promise<string> {
  const wrong = new Map<Offered, string>();
  for (const [field, messages] of Object.entries(refusal.fields ?? {})) {
    const kind = kinds[field.split('.')[0] ?? ''];
    // Which number sends is a question only where there are several: what is missing is offered as well.
    const isAsked = field === 'phone_number_id' && messages.some((message) => hasKey(message, 'required'));
    if (kind && (isAsked || messages.some((message) => hasKey(message, ...aboutReferences)))) wrong.set(kind, field);
  }
  const lines = [words];
  for (const [kind, field] of wrong) {
    const choices = await choicesOf(ctx, kind, args, args[field]);
    if (choices) lines.push(lineOf(kind, choices));
  }
  return lines.join('\n');
}

/** Returns what to say of an object that a call names and that is not there. */
export async function missing(ctx: Ctx, kind: 'ticket' | 'macro' | 'contact', given: unknown): Promise<string> {
  const shown = visible(printable(given));
  // Titles are customers' words as well, and other tickets say nothing of the one that was asked for.
  if (kind === 'ticket') return `No ticket ${shown}: find it with list_tickets.`;
  const choices = await choicesOf(ctx, kind, {}, given);
  const line = choices ? `\n${lineOf(kind, choices)}` : '';
  if (kind === 'contact')
    return `No conversation "${shown}": give the receiver_id from search_contacts, for example 4915112345678.${line}`;
  return `No ${kind} ${shown}.${line}`;
}

function lineOf(kind: Offered, { shown, total }: Choices): string {
  if (total === 0) return `This workspace has no ${kind}.`;
  const rest = total - shown.length;
  return `Choose a ${kind}: ${shown.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}.`;
}

const firstOf = (items: readonly string[]): Choices => ({ shown: items.slice(0, maxOffered), total: items.length });

const holdsOne = (ctx: Ctx, ...scopes: readonly Scope[]): boolean => scopes.some((scope) => ctx.scopes.has(scope));

/** Returns what can be chosen; null where the connection may not see it, or nothing of it fits. */
async function choicesOf(
  ctx: Ctx,
  kind: Offered,
  args: Readonly<Record<string, unknown>>,
  given: unknown,
): Promise<Choices | null> {
  switch (kind) {
    case 'contact':
      return holdsOne(ctx, 'contact.view', 'chat.view') ? contactsLike(ctx, given) : null;
    case 'phone number':
      return firstOf(
        (await listPhoneNumbers(ctx)).map(
          ({ verified_name: name, phone_number_id: id, account_id: account }) =>
            `${quoted(name)} (phone_number_id ${id}, msgapp_business_account_id ${account})`,
        ),
      );
    case 'custom field':
      if (!holdsOne(ctx, 'contact.view')) return null;
      return firstOf((await listFields(ctx)).map(({ name, field_type: type }) => `${name} (${type})`));
    default: {
      const all = await listNamed(ctx, kind);
      if (all === null) return null;
      const some = kind === 'template' ? all.filter(({ status }) => status === 'APPROVED') : all;
      const fitting = within(kind, some, kind === 'stage' ? await pipelineOf(ctx, args) : undefined) ?? some;
      return firstOf(fitting.map((item) => shownNamed(ctx, item)));
    }
  }
}

/** Returns the pipeline in which a call looks for a stage: the one that it names, else that of its ticket. */
async function pipelineOf(ctx: Ctx, args: Readonly<Record<string, unknown>>): Promise<unknown> {
  const { pipeline, id } = args;
  if (pipeline !== undefined) return pipeline;
  if (!/^\d{1,15}$/.test(String(id))) return undefined;
  return (await findTicket(ctx, Number(id))).pipeline_id;
}

/** Returns contacts that contain the text of a wrong reference, by what we call them: names are customers' words. */
async function contactsLike(ctx: Ctx, given: unknown): Promise<Choices | null> {
  if (typeof given !== 'string' || given.trim().length < 3) return null;
  const { items, count = 0 } = await listContacts(ctx, { page_size: maxOffered, search: cut(given.trim(), 100) });
  return count === 0
    ? null
    : { shown: items.map(({ id, receiver_id: handle }) => `receiver_id ${handle} (id ${id})`), total: count };
}
