import { createHash } from 'node:crypto';
import type { Frozen, FrozenMove, FrozenTemplate } from '../../../core/frozenSends';
import { canonicalJson } from '../../../core/db/idempotency';
import { showInvisible } from '../../../core/http/invisible';
import { wire, type Told } from '../../../core/http/shapes';
import { sentText } from '../../resources/messages/preview';
import { notificationBody } from '../../resources/tickets/stageMoves/recipient';

/** Recipients of a move that are named; the others are counted. */
const maxNamed = 10;

/** What was frozen, as it is read to be shown: of the people only those who are named. */
export type ShownFrozen = Frozen & { readonly recipients_total?: number };

/** SQL: the frozen sends of an approval `a`, cut to what is shown: a move may have thousands of recipients. */
export const shownFrozenSql = (approval: string): string => `ARRAY(
  SELECT s.send || CASE WHEN s.send ? 'recipients' THEN jsonb_build_object(
    'recipients', jsonb_path_query_array(s.send, '$.recipients[0 to ${maxNamed - 1}]'),
    'recipients_total', jsonb_array_length(s.send->'recipients')) ELSE '{}' END
  FROM jsonb_array_elements(${approval}.frozen) WITH ORDINALITY AS s(send, place) ORDER BY s.place)`;

/** Of a message or a move, what customers get. */
export const approvalSendShape = wire.named('ApprovalSend', {
  kind: wire.oneOf(['message', 'stage_move']),
  stage: wire.nullable(wire.integer()),
  stage_name: wire.nullable(wire.text()),
  from: wire.nullable(wire.text()),
  recipients_total: wire.integer(),
  recipients: wire.list(
    wire.named('ApprovalRecipient', { id: wire.integer(), receiver_id: wire.text(), name: wire.text() }),
  ),
  template: wire.nullable(
    wire.named('ApprovalTemplate', {
      template_id: wire.text(),
      name: wire.text(),
      language: wire.text(),
      version: wire.text(),
    }),
  ),
  text: wire.text(),
  body: wire.map(),
  send_at: { ...wire.nullable(wire.datetime()), description: 'When a message is sent that waits for a moment.' },
});

type ShownSend = Told<typeof approvalSendShape>;

/** Returns what customers would get, as it was frozen: nothing is looked up. A move shows its first text. */
export function shownSends(frozen: readonly ShownFrozen[]): ShownSend[] {
  return frozen.flatMap((send) => (send.kind === 'ticket' ? [] : [shownSend(send)]));
}

function shownSend(send: Exclude<ShownFrozen, { kind: 'ticket' }>): ShownSend {
  const people = send.kind === 'message' ? [send.to] : send.recipients;
  const body = send.kind === 'message' ? send.body : firstNotification(send);
  const isMove = send.kind === 'stage_move';
  return {
    kind: send.kind,
    stage: isMove ? send.stage_id : null,
    stage_name: isMove ? showInvisible(send.stage_name) : null,
    from: isMove ? null : send.from,
    recipients_total: send.recipients_total ?? people.length,
    recipients: people.map(({ id, receiver_id: handle, name }) => ({
      id,
      receiver_id: handle,
      name: showInvisible(name),
    })),
    template: send.template && {
      template_id: send.template.template_id,
      name: send.template.name,
      language: send.template.language,
      version: versionOf(send.template),
    },
    text: typeof body === 'string' ? body : showInvisible(sentText(body, send.template?.components)),
    body: typeof body === 'string' ? {} : body,
    send_at: isMove || !send.send_at ? null : new Date(send.send_at),
  };
}

function firstNotification(move: FrozenMove): Readonly<Record<string, unknown>> | string {
  const [first] = move.recipients;
  if (!first) return '';
  return notificationBody(move, { name: '', phone: null, bsuid: null, email: '', company: '', ...first.values });
}

/** Returns a digest of what a template says: what else is known of it does not change a message. */
export function versionOf(template: Omit<FrozenTemplate, 'pk' | 'category'>): string {
  const { template_id, name, language, parameter_format, components } = template;
  return digestOf({ template_id, name, language, parameter_format, components }).slice(0, 16);
}

/** Returns a digest of a value as JSON has it, whatever the order of its keys. */
export function digestOf(value: unknown): string {
  return createHash('sha256')
    .update(canonicalJson(JSON.parse(JSON.stringify(value))))
    .digest('hex');
}
