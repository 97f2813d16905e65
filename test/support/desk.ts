import { systemCtx, type Ctx } from '../../api/core/context';
import type { Runtime } from '../../api/core/runtime';
import { createContact } from '../../api/services/resources/contacts/service';
import { updateConversation } from '../../api/services/resources/conversations/service';
import { createMessage } from '../../api/services/processes/outbound/service';
import { createWorkspace } from '../../api/services/processes/workspaceSetup/service';
import { connectToSandbox } from '../../dev/makers/accounts';
import { demoPhoneNumberId, demoAccount } from '../../dev/sandbox/demo';
import type { TestRuntime } from './runtime';

/** A workspace with a contact's conversation, for tests of what happens in the background. */
export interface Desk {
  readonly ctx: Ctx;
  /** Returns a new contact who wrote just now, when the desk has a sandbox; gives the handle that paths use. */
  customer(phone: string): Promise<string>;
  snooze(handle: string, until: Date): Promise<void>;
  /** Accepts a message, in the desk's process unless another one is named. */
  send(handle: string, text: string, by?: Runtime): Promise<number>;
  conversation(
    handle: string,
  ): Promise<{ id: number; conv_status: string; snoozed_until: Date | null; snooze_version: number }>;
  message(id: number): Promise<{ message_status: string; delivery_state: string; attempts: number }>;
}

/** Makes a workspace; with a sandbox it is connected to the sandbox's demo account. */
export async function createDesk(test: TestRuntime): Promise<Desk> {
  const { runtime, sandbox } = test;
  const workspace = await createWorkspace(runtime, { name: 'Test desk', plan: 'test' });
  const ctx = systemCtx(runtime, workspace.id, 'test');
  if (sandbox) {
    const secrets = { accessToken: 'test-token', appSecret: 'test-secret', verifyToken: 'test-verify' };
    await connectToSandbox(ctx, demoAccount(secrets), (body) => sandbox.account(body));
  }

  async function one<T extends object>(sql: string, bind: Record<string, unknown>): Promise<T> {
    const row = await runtime.db.row<T>(sql, bind);
    if (!row) throw new Error('no such row');
    return row;
  }

  return {
    ctx,
    async customer(phone) {
      const contact = await createContact(ctx, { phone });
      if (sandbox) {
        sandbox.inbound({ phone_number_id: demoPhoneNumberId, from: { phone }, text: 'Hello' });
        await runtime.db.rows(
          `INSERT INTO conversation_windows (conversation_id, phone_number_id, open_until)
           SELECT v.id, p.id, now() + interval '23 hours' FROM conversations v, phone_numbers p
             WHERE v.contact_id = $id AND p.phone_number_id = $number`,
          { id: contact.id, number: demoPhoneNumberId },
        );
      }
      return contact.receiver_id;
    },
    async snooze(handle, until) {
      await updateConversation(ctx, handle, { conv_status: 'snoozed', snoozed_until: until });
    },
    async send(handle, text, by = runtime) {
      const message = await createMessage(
        { ...ctx, runtime: by },
        { to: handle, body: text, phone_number_id: demoPhoneNumberId },
      );
      return Number(message['id']);
    },
    conversation: (handle) =>
      one(
        `SELECT v.id, conv_status, snoozed_until, snooze_version FROM conversations v
          JOIN contacts c ON c.id = v.contact_id WHERE v.workspace_id = $workspaceId AND c.receiver_id = $handle`,
        {
          workspaceId: workspace.id,
          handle,
        },
      ),
    message: (id) =>
      one(
        'SELECT message_status, delivery_state, attempts FROM messages WHERE workspace_id = $workspaceId AND id = $id',
        { workspaceId: workspace.id, id },
      ),
  };
}
