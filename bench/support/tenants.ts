import { randomBytes } from 'node:crypto';
import { demoAccount } from '../../dev/sandbox/demo';
import { systemCtx, type Ctx } from '../../api/core/context';
import { createKey } from '../../api/services/identity/apiKeys/service';
import { createMember } from '../../api/services/identity/members/service';
import { connectAccount } from '../../api/services/resources/accounts/service';
import { syncAccount } from '../../api/services/processes/upstreamSync/service';
import { createWorkspace } from '../../api/services/processes/workspaceSetup/service';
import { control, type Installation } from './context';
import { sleep } from './stats';

const busyAttempts = 20;
/** After an answer of 503. */
export const busyPauseMs = 500;

/** A workspace with an account, a number and a key of its own. */
export interface Tenant {
  readonly ctx: Ctx;
  readonly apiKey: string;
  readonly accountId: string;
  readonly numberId: string;
  readonly appSecret: string;
  readonly accessToken: string;
  /** The approved template with two variables. */
  readonly templateId: string;
  /** Numbers of its customers begin with this. */
  readonly prefix: string;
}

/** Makes a workspace whose number sends `mps` messages a second; its webhooks go to `apiUrl`. */
export async function createTenant(
  installation: Installation,
  index: number,
  apiUrl: string,
  mps: number,
): Promise<Tenant> {
  const { runtime } = installation;
  const workspace = await createWorkspace(runtime, { name: `Tenant ${index}`, plan: 'bench' });
  const ctx = systemCtx(runtime, workspace.id, 'bench');
  const member = await createMember(ctx, { email: `tenant${index}@example.com`, role: 'owner' });
  const { apiKey } = await createKey(ctx, { memberId: member.id, name: 'Bench', scopes: ['all'] });
  const place = 1_000 + index;
  const [accountId, numberId, templateId] = [`7700${place}`, `8800${place}`, `5600${place}`];
  const secret = (): string => randomBytes(12).toString('hex');
  const secrets = { accessToken: secret(), appSecret: secret(), verifyToken: secret() };
  const demo = demoAccount({ ...secrets, webhookUrl: `${apiUrl}/webhooks/msgapp/` });
  const [template] = demo['templates'] as Record<string, unknown>[];
  const [number] = demo['phone_numbers'] as Record<string, unknown>[];
  await control(installation, 'accounts', {
    ...demo,
    business_account_id: accountId,
    catalog_id: `9900${place}`,
    phone_numbers: [{ ...number, id: numberId }],
    templates: [{ ...template, id: templateId }],
    flows: [],
    products: [],
  });
  const account = await connectAccount(ctx, { accountId, ...secrets });
  await syncAccount(ctx, account.id);
  await installation.sql('UPDATE phone_numbers SET throughput_mps = $1 WHERE phone_number_id = $2', [mps, numberId]);
  const { appSecret, accessToken } = secrets;
  return { ctx, apiKey, accountId, numberId, appSecret, accessToken, templateId, prefix: `49${place}` };
}

/** A customer of a tenant. */
export interface Customer {
  readonly id: number;
  readonly phone: string;
}

/** Customers who wrote an hour ago: they may be answered. The oldest first. */
export async function seedCustomers(installation: Installation, tenant: Tenant, count: number): Promise<Customer[]> {
  return installation.sql<Customer>(
    `WITH made AS (
       INSERT INTO contacts (workspace_id, receiver_id, phone, name)
       SELECT $1, phone, phone, 'Customer ' || n
       FROM generate_series(1, $2::int) AS n, LATERAL (SELECT $3::text || lpad(n::text, 7, '0') AS phone) p
       RETURNING id, phone
     ), conversation AS (
       INSERT INTO conversations (id, workspace_id, contact_id) SELECT id, $1, id FROM made ORDER BY id RETURNING id
     ), wrote AS (
       INSERT INTO conversation_windows (conversation_id, phone_number_id, open_until)
       SELECT c.id, p.id, now() + interval '23 hours' FROM conversation c, phone_numbers p WHERE p.phone_number_id = $4
     )
     SELECT id::int, phone FROM made ORDER BY id`,
    [tenant.ctx.workspaceId, count, tenant.prefix, tenant.numberId],
  );
}

/** Calls the API as a tenant; gives the status and the answer. */
export async function callAs<T>(
  apiUrl: string,
  tenant: Tenant,
  method: 'GET' | 'POST' | 'PATCH',
  path: string,
  body?: unknown,
): Promise<{ readonly status: number; readonly body: T }> {
  const answer = await fetch(`${apiUrl}/api/v1/${path}`, {
    method,
    headers: {
      authorization: `Bearer ${tenant.apiKey}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: (await answer.json()) as T };
}

/** The same where anything but success ends the figure; a busy service is asked again, which `onBusy` counts. */
export async function mustCall<T>(
  apiUrl: string,
  tenant: Tenant,
  method: 'GET' | 'POST' | 'PATCH',
  path: string,
  body?: () => unknown,
  onBusy: () => void = () => undefined,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await callAs<T>(apiUrl, tenant, method, path, body?.());
    if (answer.status < 300) return answer.body;
    if (answer.status !== 503 || attempt === busyAttempts)
      throw new Error(`${method} ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    onBusy();
    await sleep(busyPauseMs);
  }
}
