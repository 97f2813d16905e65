import { sampleFile } from '../../dev/sandbox/play/samples';
import { createBroadcast, templateId } from './broadcasts';
import { createTeamInbox } from './inboxes';
import { createContact } from './contacts';
import { createCustomer } from './customers';
import { uploadFile } from './files';
import { createMacro } from './macros';
import { createPipeline, createTicket, defaultPipeline } from './tickets';
import { createSession } from './members';
import { unique, uniquePhone } from './unique';
import { pushSubscription, writeSamples } from './writeSamples';
import type { TestWorkspace } from './workspaces';

type Make = (workspace: TestWorkspace) => Promise<string | number>;

const ticket: Make = async (workspace) => (await createTicket(workspace)).id;
const pipeline: Make = async (workspace) => (await createPipeline(workspace)).id;
const contact: Make = async (workspace) => (await createContact(workspace)).receiver_id;

/** Returns what the sample of a write is about. */
const ofSample =
  (operation: string): Make =>
  async (workspace) =>
    (await writeSamples[operation]?.(workspace, `f${unique()}`, uniquePhone()))?.params?.['id'] ?? 0;

/** Changes several at once, and returns what the change is called. */
async function changed(workspace: TestWorkspace, of: string, body: Record<string, unknown>): Promise<number> {
  const { api } = await createSession(workspace.owner);
  return Number((await api.post(`/api/v1/bulk-changes/${of}`, body)).body['id']);
}

/** Returns what a customer of the workspace wrote. */
const message: Make = async (workspace) => {
  const wamid = await createCustomer(workspace).writes('Hi');
  const row = await workspace.server.runtime.db.row<{ id: number }>(
    'SELECT id FROM messages WHERE workspace_id = $workspaceId AND wamid = $wamid',
    { workspaceId: workspace.id, wamid },
  );
  if (!row) throw new Error('the message was not stored');
  return row.id;
};

/**
 * Something real of a workspace for each path parameter, keyed by the path up to the parameter. The isolation matrix
 * asks for another workspace's objects by it: a new resource needs one line here.
 */
export const objectsInPaths: Readonly<Record<string, Make>> = {
  '/api/v1/broadcasts/{id}': (workspace) => createBroadcast(workspace),
  '/api/v1/contacts/{receiver_id}': contact,
  '/api/v1/conversations/{receiver_id}': contact,
  '/api/v1/flows/{flow_id}': async (workspace) => {
    const { body } = await workspace.api.get('/api/v1/flows/');
    return body.results[0]?.flow_id ?? '';
  },
  '/api/v1/macros/{id}': (workspace) =>
    createMacro(workspace, [{ type: 'set_priority', params: { priority: 'high' } }]),
  '/api/v1/rules/{id}': ofSample('rules.update'),
  '/api/v1/messages/{id}': message,
  '/api/v1/templates/{template_id}': (workspace) => Promise.resolve(templateId(workspace, 'ticket_update')),
  '/api/v1/tickets/{id}': ticket,
  '/api/v1/tickets/{ticket_id}': ticket,
  '/api/v1/ticket-pipelines/{id}': pipeline,
  '/api/v1/ticket-pipelines/{pipeline_id}': pipeline,
  '/api/v1/webhooks/{id}': async (workspace) => {
    const { body } = await workspace.api.post('/api/v1/webhooks/', {
      url: 'https://example.com/',
      events: ['ticket.created'],
    });
    return body.id;
  },
  '/api/v1/team-members/{id}': ofSample('teamMembers.update'),
  '/api/v1/sessions/{id}': async (workspace) => {
    const { api } = await createSession(workspace.owner);
    const { body } = await api.get('/api/v1/sessions/');
    return body[0]?.id ?? 0;
  },
  '/api/v1/factors/{id}': async ({ server, owner }) => {
    const row = await server.runtime.db.row<{ id: number }>(
      `INSERT INTO factors (member_id, kind, name) VALUES ($id, 'totp', 'App') RETURNING id`,
      { id: owner.id },
    );
    return row?.id ?? 0;
  },
  '/api/v1/api-keys/{id}': async (workspace) => (await workspace.key(['contact.view'])).id,
  '/api/v1/team-inboxes/{id}': (workspace) => createTeamInbox(workspace),
  '/api/v1/approvals/{id}': ofSample('approvals.approve'),
  '/api/v1/connected-agents/{id}': ofSample('connectedAgents.update'),
  '/api/v1/oauth-clients/{id}': ofSample('oauthClients.disable'),
  '/api/v1/calendars/{id}': ofSample('calendars.update'),
  '/api/v1/canned-replies/{id}': ofSample('cannedReplies.update'),
  '/api/v1/views/{id}': async (workspace) => {
    const { api } = await createSession(workspace.owner);
    return Number((await api.post('/api/v1/views/', { name: 'Mine', filters: { view: 'mine' } })).body['id']);
  },
  '/api/v1/push-subscriptions/{id}': async (workspace) => {
    const { api } = await createSession(workspace.owner);
    return Number((await api.post('/api/v1/push-subscriptions/', pushSubscription(unique()))).body['id']);
  },
  '/api/v1/bulk-changes/{id}': async (workspace) => {
    const receiver = await contact(workspace);
    return changed(workspace, '', { receiver_ids: [receiver], change: { priority: 'high' } });
  },
  '/api/v1/bulk-changes/contacts/{id}': async (workspace) => {
    const receiver = await contact(workspace);
    return changed(workspace, 'contacts/', { receiver_ids: [receiver], change: { add_tags: ['vip'] } });
  },
  '/api/v1/bulk-changes/tickets/{id}': async (workspace) =>
    changed(workspace, 'tickets/', { ticket_ids: [await ticket(workspace)], change: { priority: 'high' } }),
  '/api/v1/sla-policies/{id}': ofSample('slaPolicies.update'),
  '/api/v1/custom-fields/{id}': async (workspace) => {
    const answer = await workspace.api.post('/api/v1/custom-fields/', {
      name: `field${unique()}`,
      label: 'Field',
      field_type: 'text',
      applies_to: ['contacts'],
    });
    return answer.body.id;
  },
};

const member: Make = (workspace) => Promise.resolve(workspace.owner.id);
const inbox: Make = (workspace) => createTeamInbox(workspace);
const contactId: Make = async (workspace) => (await createContact(workspace)).id;
const template: Make = (workspace) => Promise.resolve(templateId(workspace, 'ticket_update'));
const file: Make = (workspace) => uploadFile(workspace, sampleFile('image').data);

/**
 * Something real of a workspace for each field of a body that names another object. The isolation matrix finds the
 * fields in the schemas of the operations: a new one needs one line here.
 */
export const objectsInFields: Readonly<Record<string, Make>> = {
  affected_contact_ids: contactId,
  assigned_inbox: inbox,
  assigned_member: member,
  assigned_team_inbox: inbox,
  assigned_to: member,
  away_template_id: template,
  calendar_id: ofSample('calendars.update'),
  chat_id: contactId,
  duplicate_of: ticket,
  escalated_to: member,
  macro_id: (workspace) => createMacro(workspace, [{ type: 'set_priority', params: { priority: 'high' } }]),
  rule_id: ofSample('rules.update'),
  media_ids: file,
  member_ids: member,
  msgapp_business_account_id: (workspace) => Promise.resolve(workspace.account.businessAccountId),
  notify_template_id: template,
  parent_ticket: ticket,
  phone_number_id: (workspace) => Promise.resolve(workspace.account.phoneNumberId),
  pipeline: async (workspace) => (await defaultPipeline(workspace)).id,
  receiver: contactId,
  stage: async (workspace) => (await defaultPipeline(workspace)).stages[0]?.id ?? 0,
  team_inbox_ids: inbox,
  template_id: template,
  ticket_id: ticket,
  ticket_ids: ticket,
  watcher_ids: member,
};
