import type { BroadcastRow } from '../../../../models';
import { isoTime, wire } from '../../../core/shapes';
import { broadcastStatuses, recipientStates, type RecipientState } from './schema';

/** A broadcast with what its record shows of others. */
export type BroadcastView = Omit<BroadcastRow, 'workspace_id' | 'api_key_id'> & {
  readonly template_id: string | null;
  readonly template_name: string | null;
  readonly number: string | null;
  readonly account: string | null;
};

/** Numbers of a broadcast; `audience` is the sum of pending, sent, failed, skipped and unknown (contract 9). */
export interface BroadcastStats {
  readonly audience: number;
  readonly pending: number;
  readonly sent: number;
  readonly delivered: number;
  readonly read: number;
  readonly failed: number;
  readonly skipped: number;
  readonly unknown: number;
  readonly skipped_by_reason: Readonly<Record<string, number>>;
  readonly failed_by_code: Readonly<Record<string, number>>;
}

/** The record of a broadcast (contract 9). */
export function serializeBroadcast(row: BroadcastView, stats: BroadcastStats): Record<string, unknown> {
  return {
    id: row.id,
    name: row.name,
    template_id: row.template_id,
    template_name: row.template_name,
    msgapp_business_account_id: row.account,
    phone_number_id: row.number,
    audience: row.audience,
    template_variables: row.template_variables,
    status: row.status,
    failure_reason: row.failure_reason,
    scheduled_at: isoTime(row.scheduled_at),
    confirmed_at: isoTime(row.confirmed_at),
    started_at: isoTime(row.started_at),
    completed_at: isoTime(row.completed_at),
    created_by: row.created_by_member_id,
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
    stats,
  };
}

export const statsShape = wire.named('BroadcastStats', {
  audience: wire.integer('pending + sent + failed + skipped + unknown'),
  pending: wire.integer(),
  sent: wire.integer('Accepted by the upstream; delivered and read are parts of it.'),
  delivered: wire.integer('Delivered, the read ones included.'),
  read: wire.integer(),
  failed: wire.integer(),
  skipped: wire.integer(),
  unknown: wire.integer('Nobody can tell yet whether these were sent; never sent again.'),
  skipped_by_reason: wire.map(),
  failed_by_code: wire.map('By upstream error code; `none` where there is none.'),
});

/** Wire shape of `serializeBroadcast`. */
export const broadcastShape = wire.named('Broadcast', {
  id: wire.integer(),
  name: wire.text(),
  template_id: wire.nullable(wire.text()),
  template_name: wire.nullable(wire.text()),
  msgapp_business_account_id: wire.nullable(wire.text()),
  phone_number_id: wire.nullable(wire.text()),
  audience: wire.map(),
  template_variables: wire.map(),
  status: wire.oneOf(broadcastStatuses),
  failure_reason: wire.text('Empty unless failed.'),
  scheduled_at: wire.nullable(wire.datetime()),
  confirmed_at: wire.nullable(wire.datetime()),
  started_at: wire.nullable(wire.datetime()),
  completed_at: wire.nullable(wire.datetime()),
  created_by: wire.nullable(wire.integer('Member id.')),
  created_at: wire.datetime(),
  updated_at: wire.datetime(),
  stats: statsShape,
});

export interface RecipientView {
  readonly contact_id: number;
  readonly receiver_id: string | null;
  readonly name: string | null;
  readonly status: RecipientState;
  readonly reason: string;
  readonly error_code: number | null;
  readonly message_status: string;
  readonly message_id: number | null;
  readonly updated_at: Date;
}

/** One recipient and what became of it. */
export function serializeRecipient(row: RecipientView): Record<string, unknown> {
  return {
    contact: row.contact_id,
    receiver_id: row.receiver_id ?? '',
    name: row.name ?? '',
    status: row.status,
    reason: row.reason,
    error_code: row.error_code,
    message: row.message_id,
    message_status: row.message_status,
    updated_at: isoTime(row.updated_at),
  };
}

/** Wire shape of `serializeRecipient`. */
export const recipientShape = wire.named('BroadcastRecipient', {
  contact: wire.integer("The contact's id."),
  receiver_id: wire.text('Empty once the contact was erased.'),
  name: wire.text(),
  status: wire.oneOf(recipientStates),
  reason: wire.text('Why it was skipped.'),
  error_code: wire.nullable(wire.integer()),
  message: wire.nullable(wire.integer("The message's id, once there is one.")),
  message_status: wire.text('sent, delivered, read or played; empty unless sent.'),
  updated_at: wire.datetime(),
});

/** Wire shape of a preview. */
export const previewShape = wire.named('BroadcastPreview', {
  audience: wire.integer(),
  sendable: wire.integer(),
  skipped: wire.integer(),
  skipped_by_reason: wire.map(),
  samples: wire.list(
    wire.object({
      receiver_id: wire.text(),
      name: wire.text(),
      header: wire.text(),
      body: wire.text(),
      components: wire.any('As sent to the upstream.'),
    }),
  ),
});
