import { operation } from '../../../core/http/operations';
import { wire } from '../../../core/http/shapes';
import { previewBroadcast } from './preview';
import {
  confirmBroadcastInput,
  createBroadcastInput,
  listBroadcastsQuery,
  listRecipientsQuery,
  updateBroadcastInput,
} from './schema';
import { broadcastShape, previewShape, recipientShape, serializeRecipient } from './serializer';
import { findBroadcast, listBroadcasts, listRecipients, readBroadcast } from './queries';
import {
  confirmBroadcast,
  createBroadcast,
  deleteBroadcast,
  resendBroadcast,
  unscheduleBroadcast,
  updateBroadcast,
} from './service';

const common = { tag: 'Broadcasts', scope: 'broadcast.manage' } as const;

/** Broadcasts (contract 9.1, 3.1; contract 9). */
export const broadcastOperations = [
  operation({
    ...common,
    id: 'broadcasts.list',
    method: 'GET',
    path: '/api/v1/broadcasts/',
    summary: 'List broadcasts, newest first',
    description: 'Each with its live numbers in `stats`.',
    query: listBroadcastsQuery,
    status: 200,
    output: wire.page(broadcastShape),
    run: (ctx, input) => listBroadcasts(ctx, input),
  }),
  operation({
    ...common,
    id: 'broadcasts.create',
    method: 'POST',
    path: '/api/v1/broadcasts/',
    summary: 'Create a draft of a broadcast',
    description:
      'Nothing is sent before `confirm`. `audience` is `{"all": true}`, or filters of which all must hold. Every ' +
      'placeholder of the template needs an entry in `template_variables`.',
    body: createBroadcastInput,
    status: 201,
    output: broadcastShape,
    idempotent: 'atomic',
    examples: {
      request: {
        name: 'Spring news',
        template_id: '564750795574598',
        phone_number_id: '106540352242922',
        audience: { tags_any: ['newsletter'] },
        template_variables: {
          body: { '1': { source: 'field', field: 'name' }, '2': { source: 'static', value: 'Done' } },
        },
      },
    },
    run: (ctx, input) => createBroadcast(ctx, input),
    reread: (ctx, id) => readBroadcast(ctx, id),
  }),
  operation({
    ...common,
    id: 'broadcasts.get',
    method: 'GET',
    path: '/api/v1/broadcasts/{id}/',
    intParams: ['id'],
    summary: 'Read a broadcast with its live numbers',
    description: '`stats` counts the recipients by their state. `failure_reason` says why a broadcast failed.',
    status: 200,
    tagged: true,
    output: broadcastShape,
    run: (ctx, input) => readBroadcast(ctx, input.id),
  }),
  operation({
    ...common,
    id: 'broadcasts.update',
    method: 'PATCH',
    path: '/api/v1/broadcasts/{id}/',
    intParams: ['id'],
    summary: 'Change a draft',
    description:
      'Fields that are left out stay as they are. Only a draft can be changed: turn a scheduled broadcast into one ' +
      'with `unschedule` first.',
    body: updateBroadcastInput,
    status: 200,
    output: broadcastShape,
    examples: { request: { name: 'Order news for subscribers', audience: { tags_any: ['newsletter'] } } },
    conflicts: {
      when: 'The broadcast is not a draft.',
      example: 'Only a draft can be changed; this broadcast is completed.',
    },
    locate: (ctx, params) => findBroadcast(ctx, params.id),
    run: (ctx, input) => updateBroadcast(ctx, input.id, input),
  }),
  operation({
    ...common,
    id: 'broadcasts.delete',
    method: 'DELETE',
    path: '/api/v1/broadcasts/{id}/',
    intParams: ['id'],
    summary: 'Discard a draft',
    description: 'Only a draft can be discarded. Broadcasts that were sent are kept.',
    status: 204,
    output: null,
    conflicts: {
      when: 'The broadcast is not a draft.',
      example: 'Only a draft can be discarded; this broadcast is completed.',
    },
    run: (ctx, input) => deleteBroadcast(ctx, input.id),
  }),
  operation({
    ...common,
    id: 'broadcasts.confirm',
    method: 'POST',
    path: '/api/v1/broadcasts/{id}/confirm/',
    intParams: ['id'],
    summary: 'Send a draft now or later',
    description:
      'Once it runs it cannot be stopped. Who gets it is decided when sending begins; contacts who opted out are ' +
      'skipped. The body is empty or holds `scheduled_at` and nothing else.',
    body: confirmBroadcastInput,
    examples: { request: { scheduled_at: '2035-01-04T09:00:00Z' } },
    closedBody: true,
    status: 200,
    output: broadcastShape,
    idempotent: 'atomic',
    sends: true,
    conflicts: {
      when: 'The broadcast is not a draft.',
      example: 'Only a draft can be confirmed; this broadcast is completed.',
    },
    locate: (ctx, params) => findBroadcast(ctx, params.id),
    run: (ctx, input) => confirmBroadcast(ctx, input.id, input.scheduled_at),
    reread: (ctx, id) => readBroadcast(ctx, id),
  }),
  operation({
    ...common,
    id: 'broadcasts.unschedule',
    method: 'POST',
    path: '/api/v1/broadcasts/{id}/unschedule/',
    intParams: ['id'],
    summary: 'Take a scheduled broadcast back to draft',
    description: 'Possible until the scheduled time. Nothing was sent; the draft can be changed and confirmed again.',
    status: 200,
    output: broadcastShape,
    conflicts: {
      when: 'The broadcast is not scheduled.',
      example: 'Only a scheduled broadcast can be unscheduled; this one is completed.',
    },
    run: (ctx, input) => unscheduleBroadcast(ctx, input.id),
  }),
  operation({
    ...common,
    id: 'broadcasts.resend',
    method: 'POST',
    path: '/api/v1/broadcasts/{id}/resend/',
    intParams: ['id'],
    summary: 'Make a draft for those who were not reached',
    description:
      'A new draft with the same template, number and variables, and `audience: {"resend_of": id}`: recipients who ' +
      'failed, still waited when it ended, or were left out by the operator; never those of whom nobody knows. ' +
      'Nothing is sent before it is confirmed.',
    examples: { params: { id: 2 } },
    status: 201,
    output: broadcastShape,
    idempotent: 'atomic',
    conflicts: {
      when: 'The broadcast has not ended.',
      example: 'Only a broadcast that has ended can be sent again; this one is running.',
    },
    locate: (ctx, params) => findBroadcast(ctx, params.id),
    run: (ctx, input) => resendBroadcast(ctx, input.id),
    reread: (ctx, id) => readBroadcast(ctx, id),
  }),
  operation({
    ...common,
    id: 'broadcasts.recipients',
    method: 'GET',
    path: '/api/v1/broadcasts/{id}/recipients/',
    intParams: ['id'],
    summary: 'List the recipients with the result for each',
    description: 'Each with its status, the message that was sent, or the reason why it was skipped or failed.',
    query: listRecipientsQuery,
    examples: { params: { id: 2 } },
    status: 200,
    output: wire.page(recipientShape),
    locate: (ctx, params) => findBroadcast(ctx, params.id),
    run: async (ctx, input) => {
      const page = await listRecipients(ctx, input.id, input);
      return { ...page, items: page.items.map(serializeRecipient) };
    },
  }),
  operation({
    ...common,
    id: 'broadcasts.preview',
    method: 'POST',
    path: '/api/v1/broadcasts/{id}/preview/',
    intParams: ['id'],
    summary: 'Preview a broadcast without sending it',
    description:
      'Counts who would get the message, and who would be skipped and why; estimates what that costs and how much of ' +
      'the messaging limit it takes. Shows the message as a few of them would see it.',
    status: 200,
    output: previewShape,
    run: (ctx, input) => previewBroadcast(ctx, input.id),
  }),
];
