import { AppError } from './http/errors';
import { reason } from './http/reasons';

/*
 * What a call would send, as it was when the call was parked for approval: texts, people and templates with nothing
 * left to look up. A rehearsal gathers it, a member sees it, and an approved call sends exactly that (contract 11).
 */

/** A template as it was; `pk` is the id of our row. */
export interface FrozenTemplate {
  readonly pk: number;
  readonly template_id: string;
  readonly name: string;
  readonly language: string;
  readonly category: string;
  readonly parameter_format: string;
  readonly components: unknown;
}

interface Person {
  readonly id: number;
  readonly receiver_id: string;
  readonly name: string;
}

/** A message, as it would be stored. */
export interface FrozenMessage {
  readonly kind: 'message';
  /** `phone`: the number or, where the customer hides it, their bsuid. */
  readonly to: Person & { readonly phone: string };
  /** The number that sends, as people read it, and the platform's id of it. */
  readonly from: string;
  readonly phone_number_id: string;
  readonly type: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly reply_to_wamid: string;
  /** When it is sent, as ISO 8601; null or absent: at once. */
  readonly send_at?: string | null;
  readonly template: FrozenTemplate | null;
}

/** A move of a ticket into a stage that notifies, with those whom it would reach. */
export interface FrozenMove {
  readonly kind: 'stage_move';
  readonly stage_id: number;
  readonly stage_name: string;
  readonly template: FrozenTemplate;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly ticket_values: Readonly<Record<string, string>>;
  /** The file in the header of the template. */
  readonly header_file: { readonly id: string; readonly filename: string } | null;
  /** `values`: what the mapping takes from the contact. */
  readonly recipients: readonly (Person & { readonly values: Readonly<Record<string, string | null>> })[];
}

/** The id of a ticket that the call creates: a text may name it. */
interface FrozenTicket {
  readonly kind: 'ticket';
  readonly id: number;
}

export type Frozen = FrozenMessage | FrozenMove | FrozenTicket;

/** Returns whether the send would reach a customer. */
export function reaches(frozen: Frozen): boolean {
  return frozen.kind === 'message' || (frozen.kind === 'stage_move' && frozen.recipients.length > 0);
}

/** The 409 of an approved call that would not send any more what was shown. */
export class ChangedSince extends AppError {
  constructor() {
    super('conflict', reason('changedSince'));
    this.name = 'ChangedSince';
  }
}

/** A context that may act on an approval. */
interface MayBeApproved {
  readonly approved?: Frozen[];
}

/**
 * Returns the next frozen send of this kind to an approved call, and marks it as used; undefined for a call that was
 * not approved. Throws 409 when the approved call makes a send that was not shown.
 */
export function takeApproved<K extends Frozen['kind']>(
  ctx: MayBeApproved,
  kind: K,
  fits: (frozen: Extract<Frozen, { kind: K }>) => boolean = () => true,
): Extract<Frozen, { kind: K }> | undefined {
  if (!ctx.approved) return undefined;
  const isIt = (frozen: Frozen): frozen is Extract<Frozen, { kind: K }> =>
    frozen.kind === kind && fits(frozen as Extract<Frozen, { kind: K }>);
  const found = ctx.approved.find(isIt);
  if (!found) throw new ChangedSince();
  ctx.approved.splice(ctx.approved.indexOf(found), 1);
  return found;
}

/** Does the work with the approved sends, and exactly these. Throws 409 when the work would send anything else. */
export async function asApproved<C extends MayBeApproved, T>(
  ctx: C,
  frozen: readonly Frozen[],
  work: (ctx: C) => Promise<T>,
): Promise<T> {
  const approved = [...frozen];
  const done = await work({ ...ctx, approved });
  if (approved.length > 0) throw new ChangedSince();
  return done;
}
