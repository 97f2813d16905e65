import { operation } from '../../../core/http/operations';
import { isoTime, wire } from '../../../core/http/shapes';
import { listIgnored } from './ignored';

/** What the platform sends and nothing is done with. */
export const ignoredShape = wire.named('IgnoredPlatformEvents', {
  field: wire.text("The platform's name of the webhook field."),
  count: wire.integer(),
  last_received_at: wire.datetime(),
});

/** What a workspace may see of the platform's events. */
export const inboundOperations = [
  operation({
    id: 'platformEvents.listIgnored',
    method: 'GET',
    path: '/api/v1/platform-events/ignored/',
    tag: 'Workspace',
    summary: 'List what the platform sends and Msgdesk does not use',
    description: 'Kinds of webhook events that are kept for a while without anything being done with them.',
    scope: 'workspace.manage',
    audience: 'session',
    status: 200,
    output: wire.list(ignoredShape),
    run: async (ctx) =>
      (await listIgnored(ctx)).map((kind) => ({ ...kind, last_received_at: isoTime(kind.last_received_at) })),
  }),
];
