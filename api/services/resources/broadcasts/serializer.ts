import type { BroadcastRow } from '../../../../models';
import { broadcastStatuses } from '../../../../models/enums';
import { from, shapeOf, wire } from '../../../core/http/shapes';
import type { HeaderFile } from '../templates/parameters';
import { variablesJson } from '../templates/variables';
import { audienceJson, shownStates, type ShownState } from './schema';
import type { BroadcastStats } from './stats';

/** A row of a broadcast with the columns of other tables that the API shows with it. */
export interface BroadcastView extends Omit<BroadcastRow, 'workspace_id' | 'api_key_id'> {
  readonly template_id: string | null;
  readonly template_name: string | null;
  readonly header_file: HeaderFile | null;
  readonly number: string | null;
  readonly account: string | null;
  /** The broadcast of the same number that has to end first. */
  readonly queued_behind: number | null;
  readonly paused_reason: string;
}

/** How many recipients of a broadcast are in which state now. */
const { schema: statsShape } = shapeOf<BroadcastStats>('BroadcastStats').with({
  audience: wire.integer('pending + sent + failed + skipped + unknown'),
  pending: wire.integer(),
  sent: wire.integer('Accepted by the platform, including those that were delivered and read.'),
  held: wire.integer('Of those sent: the platform has taken them and looks at the template first.'),
  delivered: wire.integer('Delivered, the read ones included.'),
  read: wire.integer(),
  failed: wire.integer(),
  skipped: wire.integer(),
  unknown: wire.integer('It is not known whether these were sent. They are never sent again.'),
  skipped_by_reason: wire.map<number>(),
  failed_by_code: wire.map<number>("Number of failures by the platform's error code; `none` where there is none."),
});

/** The record of a broadcast (contract 9). */
export const { schema: broadcastShape, serialize: serializeBroadcast } = shapeOf<
  BroadcastView & { readonly stats: BroadcastStats }
>('Broadcast').with({
  id: wire.integer(),
  name: wire.text(),
  template_id: wire.nullable(wire.text()),
  template_name: wire.nullable(wire.text()),
  msgapp_business_account_id: from(wire.nullable(wire.text()), (broadcast) => broadcast.account),
  phone_number_id: from(wire.nullable(wire.text()), (broadcast) => broadcast.number),
  audience: audienceJson,
  template_variables: variablesJson(['static', 'field']),
  header_media: from(wire.nullable(wire.named('BroadcastMedia', { id: wire.text() })), ({ header_media_id: id }) =>
    id === null ? null : { id },
  ),
  status: wire.oneOf(broadcastStatuses),
  failure_reason: wire.text('Empty unless failed.'),
  paused_reason: wire.text(
    'Why a running one sends nothing at present; it goes on by itself when that is lifted. After 24 hours of a ' +
      'refusal by the platform it is `failed`. Else empty.',
  ),
  queued_behind: wire.nullable(
    wire.integer('The broadcast that has to end first: one at a time is sent from a phone number. Else null.'),
  ),
  scheduled_at: wire.nullable(wire.datetime()),
  confirmed_at: wire.nullable(wire.datetime()),
  started_at: wire.nullable(wire.datetime()),
  completed_at: wire.nullable(wire.datetime()),
  created_by: from(wire.nullable(wire.integer('Member id.')), (broadcast) => broadcast.created_by_member_id),
  created_at: wire.datetime(),
  updated_at: wire.datetime(),
  stats: statsShape,
});

/** A recipient with what its contact and message show. */
export interface RecipientView {
  readonly contact_id: number;
  readonly receiver_id: string | null;
  readonly name: string | null;
  readonly status: ShownState;
  readonly reason: string;
  readonly error_code: number | null;
  readonly message_status: string;
  readonly message_id: number | null;
  readonly updated_at: Date;
}

/** One recipient and what became of it. */
export const { schema: recipientShape, serialize: serializeRecipient } = shapeOf<RecipientView>(
  'BroadcastRecipient',
).with({
  contact: from(wire.integer("The contact's id."), (recipient) => recipient.contact_id),
  receiver_id: from(wire.text('Empty once the contact was erased.'), (recipient) => recipient.receiver_id ?? ''),
  name: from(wire.text(), (recipient) => recipient.name ?? ''),
  status: wire.oneOf(shownStates),
  reason: wire.text('Why it was skipped.'),
  error_code: wire.nullable(wire.integer()),
  message: from(
    wire.nullable(wire.integer("The message's id, once there is one.")),
    (recipient) => recipient.message_id,
  ),
  message_status: wire.text('sent, held (by the platform), delivered, read or played; empty unless sent.'),
  updated_at: wire.datetime(),
});

/** Wire shape of a preview. */
export const previewShape = wire.named('BroadcastPreview', {
  audience: wire.integer(),
  sendable: wire.integer(),
  skipped: wire.integer(),
  skipped_by_reason: wire.map<number>(),
  estimate: wire.named('BroadcastEstimate', {
    billable: wire.integer('Messages that the platform is expected to charge.'),
    cost: { ...wire.nullable(wire.number()), description: 'By the rates of the workspace; null where one is missing.' },
    currency: wire.nullable(wire.text()),
  }),
  messaging_limit: wire.named('MessagingLimit', {
    limit: wire.nullable(
      wire.integer('Customers who may get a template outside of their window in 24 hours; null: not known, or none.'),
    ),
    used_24h: wire.integer('Customers who have got one, over all numbers of the workspace.'),
    left: { ...wire.nullable(wire.integer()), description: 'What is left of the limit; null where there is none.' },
    over_by: wire.integer('Recipients whom the limit leaves out.'),
    estimated: wire.boolean('Always true: the platform counts by itself, over all of the portfolio.'),
  }),
  samples: wire.list(
    wire.named('BroadcastSample', {
      receiver_id: wire.text(),
      name: wire.text(),
      header: wire.text(),
      body: wire.text(),
      components: wire.any('As it is sent to the platform.'),
    }),
  ),
});
