import type { Ctx } from '../../api/core/context';
import { connectToSandbox, drawSecrets, ownAccount, ownAccountBody, ownTemplate } from '../../dev/makers/accounts';
import { peopleSql } from '../../dev/makers/people';
import { control, createWorkspaceWithKey, type Installation } from './context';
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
  const { ctx, apiKey } = await createWorkspaceWithKey(installation.runtime, `Tenant ${index}`);
  const place = 1_000 + index;
  const account = ownAccount(place, drawSecrets());
  const body = ownAccountBody(account, `${apiUrl}/webhooks/msgapp/`);
  await connectToSandbox(ctx, body, (told) => control(installation, 'accounts', told));
  const { businessAccountId: accountId, phoneNumberId: numberId, appSecret, accessToken } = account;
  await installation.sql('UPDATE phone_numbers SET throughput_mps = $1 WHERE phone_number_id = $2', [mps, numberId]);
  const templateId = ownTemplate(account, 'ticket_update');
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
    `WITH ${peopleSql({ workspaceId: tenant.ctx.workspaceId, count, firstPhone: Number(`${tenant.prefix}0000001`) })},
     wrote AS (
       INSERT INTO conversation_windows (conversation_id, phone_number_id, open_until)
       SELECT c.id, p.id, now() + interval '23 hours' FROM opened c, phone_numbers p WHERE p.phone_number_id = $1
     )
     SELECT id::int, phone FROM made ORDER BY id`,
    [tenant.numberId],
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
