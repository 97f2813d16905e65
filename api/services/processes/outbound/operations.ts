import { notFound } from '../../../core/http/errors';
import { described, input, jsonObject, required, text } from '../../../core/http/fields';
import { messageExamples } from './examples';
import { operation, type Operation } from '../../../core/http/operations';
import { recipientField } from '../../resources/contacts/identity';
import { createMessageInput } from '../../resources/messages/schema';
import { messageShape } from '../../resources/messages/serializer';
import { readMessage } from '../../resources/messages/service';
import { createMessage } from './service';

/** Whom and from where, as agents say it. */
const recipient = {
  to: described(required(recipientField()), 'Phone number in E.164 or business-scoped user id.'),
  phone_number_id: described(
    text({ max: 64 }),
    'The number to send from; only needed where the workspace has several and this customer has not spoken with any.',
  ),
  msgapp_business_account_id: described(text({ max: 64 }), 'The account whose number sends.'),
};

/** Sending a message (contract 6). */
export const outboundOperations: readonly Operation[] = [
  operation({
    id: 'messages.create',
    method: 'POST',
    path: '/api/v1/messages/',
    tag: 'Messages',
    summary: 'Send a message',
    description:
      'The answer comes once the message is accepted (`queued`). Messages of one conversation are delivered in the ' +
      'order in which they were accepted. Anything but a template needs an open 24-hour window; a template must be ' +
      'APPROVED. An unknown `to` creates a contact.',
    scope: 'chat.send_message',
    body: createMessageInput,
    status: 201,
    output: messageShape,
    idempotent: 'atomic',
    sends: true,
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
];
