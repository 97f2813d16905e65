import { createHash } from 'node:crypto';
import type { ApprovalRow } from '../../../../models';
import type { Frozen, FrozenMessage, FrozenMove, FrozenTemplate } from '../../../core/frozen';
import { canonicalJson } from '../../../core/idempotency';
import { showInvisible } from '../../../core/invisible';
import { wire } from '../../../core/shapes';
import { sentText } from '../../resources/messages/preview';
import { noticeBody } from '../stageMoves/recipient';

/** Recipients of a move that are named; the others are counted. */
const maxNamed = 10;

/** Wire shape of `shownSends`. */
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
});

/** Returns what customers would get, as it was frozen: nothing is looked up. A move shows its first text. */
export function shownSends(frozen: readonly Frozen[]): Record<string, unknown>[] {
  return frozen.flatMap((send) => (send.kind === 'ticket' ? [] : [shownSend(send)]));
}

function shownSend(send: FrozenMessage | FrozenMove): Record<string, unknown> {
  const people = send.kind === 'message' ? [send.to] : send.recipients;
  const body = send.kind === 'message' ? send.body : firstNotice(send);
  const isMove = send.kind === 'stage_move';
  return {
    kind: send.kind,
    stage: isMove ? send.stage_id : null,
    stage_name: isMove ? showInvisible(send.stage_name) : null,
    from: isMove ? null : send.from,
    recipients_total: people.length,
    recipients: people.slice(0, maxNamed).map(({ id, receiver_id: handle, name }) => ({
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
  };
}

function firstNotice(move: FrozenMove): Readonly<Record<string, unknown>> | string {
  const [first] = move.recipients;
  if (!first) return '';
  return noticeBody(move, { name: '', phone: null, bsuid: null, email: '', company: '', ...first.values });
}

/** Returns a digest of what a template says: what else is known of it does not change a message. */
export function versionOf(template: Omit<FrozenTemplate, 'pk' | 'category'>): string {
  const { template_id, name, language, parameter_format, components } = template;
  return digestOf({ template_id, name, language, parameter_format, components }).slice(0, 16);
}

/** Returns a digest of a parked call, of all that is done when it is approved. */
export function approvalDigest(row: Pick<ApprovalRow, 'call_kind' | 'input' | 'steps' | 'frozen'>): string {
  return digestOf({ kind: row.call_kind, input: row.input, steps: row.steps, frozen: row.frozen });
}

function digestOf(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex');
}
