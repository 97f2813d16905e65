import type { Ctx } from '../../../core/context';
import { notFound } from '../../../core/http/errors';
import { described, input, jsonObject, required, text } from '../../../core/http/fields';
import { messageExamples } from './examples';
import { operation } from '../../../core/http/operations';
import { recipientField } from '../../resources/contacts/identity';
import { tooMany } from '../../resources/messages/rows/scheduled';
import { changeMessageInput, createMessageInput, laterFields } from '../../resources/messages/schema';
import { messageShape } from '../../resources/messages/serializer';
import { readMessage } from '../../resources/messages/service';
import { changeLater, discardLater, locateMessage, notWaiting, sendNow } from './sendLater';
import { createMessage } from './service';

/** Whom and from where, as agents say it. */
const recipient = {
  to: described(required(recipientField()), 'Phone number in E.164 or business-scoped user id.'),
  phone_number_id: described(
    text({ max: 64 }),
    'The number to send from; only needed where the workspace has several and this customer has not spoken with any.',
  ),
  msgapp_business_account_id: described(text({ max: 64 }), 'The account whose number sends.'),
  ...laterFields,
};

const waiting = {
  path: '/api/v1/messages/{id}/',
  tag: 'Messages',
  scope: 'chat.send_message',
  intParams: ['id'],
  params: { id: 'The `id` of a message that is `scheduled` or `held`.' },
  locate: (ctx: Ctx, { id }: { readonly id: number }) => locateMessage(ctx, id),
} as const;
const conflicts = { when: 'The message is not `scheduled` or `held`.', example: String(notWaiting) };

/** Sending a message (contract 6), now or later (contract 24). */
export const outboundOperations = [
  operation({
    id: 'messages.create',
    method: 'POST',
    path: '/api/v1/messages/',
    tag: 'Messages',
    summary: 'Send a message',
    description:
      'The answer comes once the message is accepted (`queued`). Messages of one conversation are delivered in the ' +
      'order in which they were accepted. Anything but a template needs an open 24-hour window; a template must be ' +
      'APPROVED. An unknown `to` creates a contact. With `send_at` it is `scheduled`: it takes its place in the ' +
      'order when it is `queued`, or is `held` where it may not be sent then.',
    scope: 'chat.send_message',
    body: createMessageInput,
    status: 201,
    output: messageShape,
    idempotent: 'atomic',
    sends: true,
    passesOver: ({ send_at: at, if_customer_writes: policy }) =>
      policy !== undefined && (at === undefined || at === null) ? ['if_customer_writes'] : [],
    conflicts: {
      when: 'Too many messages of the conversation or workspace wait to be sent.',
      example: String(tooMany.conversation),
    },
    examples: {
      request: { to: '+4915112345678', phone_number_id: '106540352242922', body: 'Hello! How can we help?' },
      more: messageExamples,
    },
    tools: [
      {
        name: 'send_message',
        title: 'Send a message',
        description:
          'Sends a text to a customer while the 24-hour window is open (chat_status active); otherwise use ' +
          'send_template. dry_run: true only says whether it would be sent or wait for approval.',
        annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
        sends: 'message',
        input: input({
          ...recipient,
          text: required(text({ max: 4096, blank: false, trim: false })),
          reply_to_wamid: text({ max: 255 }),
        }),
        adapt: ({ text: body, ...rest }) => ({ ...rest, type: 'text', text: { body } }),
      },
      {
        name: 'send_template',
        title: 'Send a template',
        description:
          'Sends an APPROVED template (see get_templates), also when the window is closed. Give template_id with ' +
          'template_variables, or template {name, language, components}. dry_run: true only checks.',
        annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
        sends: 'message',
        input: input({
          ...recipient,
          template_id: text({ max: 64, blank: false }),
          template_variables: jsonObject(),
          template: jsonObject(),
        }),
        adapt: (args) => ({ ...args, type: 'template' }),
      },
    ],
    run: async (ctx, input) => createMessage(ctx, input),
    reread: async (ctx, id) => (await readMessage(ctx, id)) ?? Promise.reject(notFound()),
  }),
  operation({
    ...waiting,
    id: 'messages.update',
    method: 'PATCH',
    summary: 'Change a message that is sent later',
    description:
      'While it is `scheduled` or `held`. Another `send_at` lets a message that is held be sent then. What is ' +
      'changed is checked as any send.',
    body: changeMessageInput,
    status: 200,
    output: messageShape,
    sends: true,
    conflicts,
    examples: { params: { id: 5 }, request: { if_customer_writes: 'hold' } },
    run: async (ctx, { id, ...changes }) => changeLater(ctx, id, changes),
  }),
  operation({
    ...waiting,
    id: 'messages.delete',
    method: 'DELETE',
    summary: 'Discard a message that is sent later',
    description: 'While it is `scheduled` or `held`: it is not sent, and gone.',
    status: 204,
    output: null,
    conflicts,
    examples: { params: { id: 6 } },
    run: async (ctx, { id }) => discardLater(ctx, id),
  }),
  operation({
    ...waiting,
    id: 'messages.sendNow',
    method: 'POST',
    path: '/api/v1/messages/{id}/send-now/',
    summary: 'Send a message that is sent later at once',
    description: 'While it is `scheduled` or `held`. It is sent in your name, with all checks of a send.',
    status: 200,
    output: messageShape,
    sends: true,
    conflicts,
    examples: { params: { id: 7 } },
    run: async (ctx, { id }) => sendNow(ctx, id),
  }),
];
