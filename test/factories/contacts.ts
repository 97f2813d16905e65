import { unique, uniquePhone } from './unique';
import type { TestWorkspace } from './workspaces';

type Json = Record<string, unknown>;

/** A contact as the API returned it. */
interface TestContact {
  readonly id: number;
  readonly receiver_id: string;
  readonly body: Json;
}

/** Creates a contact over REST. */
export async function createContact(workspace: TestWorkspace, fields: Json = {}): Promise<TestContact> {
  const { status, body } = await workspace.api.post('/api/v1/contacts/', {
    name: `Contact ${unique()}`,
    ...('bsuid' in fields ? {} : { phone: uniquePhone() }),
    ...fields,
  });
  if (status !== 201) throw new Error(`the contact was refused: ${JSON.stringify(body)}`);
  return { id: body.id, receiver_id: body.receiver_id, body };
}

/** Creates a contact whose conversation is in the given state (`conv_status`, `priority`, `assigned_member`, …). */
export async function createConversation(
  workspace: TestWorkspace,
  state: Json = {},
  fields: Json = {},
): Promise<TestContact> {
  const contact = await createContact(workspace, fields);
  if (Object.keys(state).length === 0) return contact;
  const { status, body } = await workspace.api.patch(`/api/v1/conversations/${contact.receiver_id}/`, state);
  if (status !== 200) throw new Error(`the state was refused: ${JSON.stringify(body)}`);
  return contact;
}
