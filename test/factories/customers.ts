import { signBody } from '../../dev/sandbox/wire/payload';
import type { ApiAnswer } from '../support/client';
import { unique, uniquePhone } from './unique';
import type { TestWorkspace } from './workspaces';

type Json = Record<string, unknown>;

/** A person on the other side of the upstream. */
export interface TestCustomer {
  /** E.164 with the plus. */
  readonly phone: string;
  /** What paths take: the digits. */
  readonly handle: string;
  readonly name: string;
  /** Writes a text, or any message that the sandbox takes; resolves with its id when the service has processed it. */
  writes(text: string | Json, more?: Json): Promise<string>;
}

interface CustomerOptions {
  readonly phone?: string;
  readonly name?: string;
  readonly username?: string;
  /** Which of the workspace's numbers they write to; the first unless told. */
  readonly phoneNumberId?: string;
}

/** Makes a person whom the service does not know yet. */
export function createCustomer(workspace: TestWorkspace, options: CustomerOptions = {}): TestCustomer {
  const phone = options.phone ?? uniquePhone();
  const name = options.name ?? `Customer ${unique()}`;
  return {
    phone,
    handle: phone.replace(/\D/g, ''),
    name,
    async writes(text, more = {}) {
      const { wamid } = workspace.server.sandbox.inbound({
        phone_number_id: options.phoneNumberId ?? workspace.account.phoneNumberId,
        from: { phone, name, ...(options.username ? { username: options.username } : {}) },
        ...(typeof text === 'string' ? { text } : { message: text }),
        ...more,
      });
      await workspace.server.settled();
      return wamid;
    },
  };
}

/** Puts messages of a customer before the first that they wrote, a minute between them: `Before 1`, `Before 2`, … */
export async function insertEarlier(workspace: TestWorkspace, handle: string, count: number): Promise<void> {
  await workspace.server.runtime.db.rows(
    `INSERT INTO messages (workspace_id, conversation_id, phone_number_id, direction, type, body, message_status,
       delivery_state, created_at)
     SELECT m.workspace_id, m.conversation_id, m.phone_number_id, 'inbound', 'text',
       jsonb_build_object('type', 'text', 'text', jsonb_build_object('body', 'Before ' || n)), m.message_status,
       m.delivery_state, m.created_at - n * interval '1 minute'
     FROM generate_series(1, $count::int) AS n, LATERAL (
       SELECT m.* FROM messages m JOIN conversations v ON v.id = m.conversation_id
         JOIN contacts c ON c.id = v.contact_id
         WHERE c.workspace_id = $workspaceId AND c.receiver_id = $handle AND m.direction = 'inbound'
         ORDER BY m.id LIMIT 1) m`,
    { workspaceId: workspace.id, handle, count },
  );
}

/** Posts a payload as the upstream would, signed with the workspace's secret unless told otherwise. */
export async function signedWebhook(
  workspace: TestWorkspace,
  payload: unknown,
  options: { readonly secret?: string; readonly signature?: string } = {},
): Promise<ApiAnswer> {
  const body = typeof payload === 'string' ? payload : JSON.stringify(payload);
  const signature = options.signature ?? signBody(body, options.secret ?? workspace.account.appSecret);
  return workspace.server.anonymous.request('POST', '/webhooks/msgapp/', body, {
    'content-type': 'application/json',
    'x-hub-signature-256': signature,
  });
}

/** Returns one change of a webhook, as the upstream wraps it. */
export function webhook(workspace: TestWorkspace, value: Json, field = 'messages'): Json {
  const metadata = { display_phone_number: '15550100100', phone_number_id: workspace.account.phoneNumberId };
  return {
    object: 'whatsapp_business_account',
    entry: [
      {
        id: workspace.account.businessAccountId,
        changes: [{ field, value: { messaging_product: 'whatsapp', metadata, ...value } }],
      },
    ],
  };
}

/** Returns an inbound text as the upstream reports it. */
export function inboundText(from: string, text: string, more: Json = {}): Json {
  return {
    from: from.replace(/\D/g, ''),
    id: `wamid.test${unique()}`,
    timestamp: String(Math.floor(Date.now() / 1000)),
    type: 'text',
    text: { body: text },
    ...more,
  };
}

/** Returns a status of an outbound message as the upstream reports it. */
export function status(wamid: string, word: string, more: Json = {}): Json {
  return {
    id: wamid,
    status: word,
    timestamp: String(Math.floor(Date.now() / 1000)),
    recipient_id: '4915100000000',
    ...more,
  };
}
