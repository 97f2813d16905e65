import type { Runtime } from '../api/core/runtime';
import type { Activities } from '../workflows/contract';
import { approvalActivities } from './approvals';
import { translated } from './boundary';
import { broadcastActivities } from './broadcasts';
import { conversationActivities } from './conversations';
import { macroActivities } from './macros';
import { messageActivities } from './messages';
import { sweepActivities } from './sweeps';
import { ticketActivities } from './tickets';
import { webhookActivities } from './webhooks';

/** Returns every activity of the deployment: each calls one service function, with its errors translated. */
export function createActivities(runtime: Runtime): Activities {
  return translated<Activities>({
    ...conversationActivities(runtime),
    ...messageActivities(runtime),
    ...approvalActivities(runtime),
    ...macroActivities(runtime),
    ...ticketActivities(runtime),
    ...broadcastActivities(runtime),
    ...webhookActivities(runtime),
    ...sweepActivities(runtime),
  });
}
