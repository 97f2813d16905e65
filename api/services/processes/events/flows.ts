import type { Ctx } from '../../../core/context';
import { isPlainObject } from '../../../core/http/fields';
import { storable } from '../../../core/http/jsonbText';
import { requestSync } from '../../resources/accounts/stops';
import { setFlowAlert, setFlowStatus } from '../../resources/flows/store';
import { recordSubmission } from '../../resources/flows/submissions';
import { flowStatuses } from '../../../../models/enums';
import type { Handler } from './lookups';
import { eventTime, objectAt, textOf, type Json } from './read';
import type { StoredEvent } from './claim';

/** The events of flows. */
export const flowHandlers: readonly (readonly [string, Handler])[] = [['flows', receiveFlowEvent]];

/** The keys of an alert that are stored by name; the others are its figures. */
const namedKeys = new Set(['event', 'flow_id', 'message', 'alert_state', 'messaging_product', 'metadata']);

/** Takes a flow's new status, or an alert about it; a flow that is not known yet is read from the upstream. */
async function receiveFlowEvent(ctx: Ctx, event: StoredEvent): Promise<void> {
  const value = objectAt(event.payload, 'value') ?? {};
  const kind = textOf(value['event'], 64).toUpperCase();
  const flowId = textOf(value['flow_id'], 64);
  if (flowId === '' || !/^[A-Z_]+$/.test(kind)) return;
  const at = eventTime(event.payload['time'], ctx.runtime.clock.now());
  const known =
    kind === 'FLOW_STATUS_CHANGE'
      ? await receiveStatusChange(ctx, flowId, value, at)
      : await setFlowAlert(ctx, flowId, kind, {
          alert_state: textOf(value['alert_state'], 32).toUpperCase(),
          message: textOf(value['message'], 2_000),
          details: Object.fromEntries(Object.entries(value).filter(([key]) => !namedKeys.has(key))),
          at: at.toISOString(),
        });
  if (!known) await requestSync(ctx, event.business_account_id);
}

async function receiveStatusChange(ctx: Ctx, flowId: string, value: Json, at: Date): Promise<boolean> {
  const to = textOf(value['new_status'], 16).toUpperCase();
  if (!(flowStatuses as readonly string[]).includes(to)) return false;
  return setFlowStatus(ctx, flowId, { from: textOf(value['old_status'], 16).toUpperCase(), to, at });
}

/** Stores what a customer submitted in a flow; other interactive answers are none. */
export async function receiveSubmission(
  ctx: Ctx,
  message: Json,
  about: { readonly wamid: string; readonly contactId: number; readonly conversationId: number; readonly at: Date },
): Promise<void> {
  const reply = objectAt(objectAt(message, 'interactive'), 'nfm_reply');
  // Other forms of the upstream answer with the same object: an address, a payment.
  if (!reply || (reply['name'] !== undefined && reply['name'] !== 'flow')) return;
  const { response, flowToken } = readResponse(reply['response_json']);
  await recordSubmission(ctx, {
    ...about,
    replyTo: textOf(objectAt(message, 'context')?.['id'], 255),
    flowToken,
    response,
  });
}

/** The answers without the token that only links them to their message; text that is no object is kept as it is. */
function readResponse(raw: unknown): { response: Json; flowToken: string | null } {
  const parsed = typeof raw === 'string' ? parseJson(raw) : raw;
  if (!isPlainObject(parsed)) return { response: { raw: typeof raw === 'string' ? raw : '' }, flowToken: null };
  const { flow_token: token, ...response } = storable(parsed) as Json;
  return { response, flowToken: typeof token === 'string' && token !== '' ? token : null };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}
