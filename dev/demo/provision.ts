import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { systemCtx, type Ctx } from '../../api/core/context';
import type { Runtime } from '../../api/core/runtime';
import { createKey } from '../../api/services/identity/apiKeys/service';
import { createMember, updateMember } from '../../api/services/identity/members/service';
import { connectAccount } from '../../api/services/resources/accounts/service';
import { createInbox } from '../../api/services/resources/inboxes/service';
import { setDomain } from '../../api/services/identity/sso/service';
import { createWorkspace } from '../../api/services/processes/workspaceSetup/service';
import { readJson, writePrivate } from '../lib/files';
import { demoBusinessAccountId } from '../sandbox/demo';
import type { KnownSubscription } from '../sandbox/receiver/subscribe';

const inboxName = 'Support';
const usualEmail = 'demo@msgdesk.test';

/** What is remembered of the demo workspace, in `DATA_DIR/demo.json`. */
export interface Demo extends KnownSubscription {
  workspace_id: number;
  business_account_id: string;
  access_token: string;
  app_secret: string;
  verify_token: string;
  member_id: number;
  email: string;
  password: string;
  inbox_id: number;
  key_id: number;
  api_key: string;
  /** true: it has its content. A list: these parts of it, since an earlier start was interrupted. */
  filled?: true | readonly string[];
}

/** What an earlier provisioning left in the database although `demo.json` does not know of it. */
interface Earlier {
  readonly account: { readonly workspace_id: number } | null;
  readonly member: { readonly id: number; readonly workspace_id: number } | null;
  readonly inbox: { readonly id: number } | null;
}

const random = (bytes: number): string => randomBytes(bytes).toString('hex');

/** Returns the file that remembers the demo. */
export const demoFile = (dataDir: string): string => path.join(dataDir, 'demo.json');

/**
 * Returns the remembered objects that are still in this database. What vanished is forgotten, so that it is created
 * again; ids alone could be those of other objects, in another database behind DATABASE_URL.
 */
async function stillThere(runtime: Runtime, demo: Partial<Demo> | null): Promise<Partial<Demo>> {
  if (!demo?.workspace_id) return {};
  const found = await runtime.db.row<{
    has_account: boolean;
    has_member: boolean;
    has_inbox: boolean;
    prefix: string | null;
  }>(
    `SELECT
       EXISTS (SELECT 1 FROM business_accounts
         WHERE workspace_id = $workspaceId AND account_id = $accountId) AS has_account,
       EXISTS (SELECT 1 FROM members
         WHERE workspace_id = $workspaceId AND id = $memberId AND lower(email) = lower($email)) AS has_member,
       EXISTS (SELECT 1 FROM team_inboxes WHERE workspace_id = $workspaceId AND id = $inboxId) AS has_inbox,
       (SELECT prefix FROM api_keys
         WHERE workspace_id = $workspaceId AND id = $keyId AND revoked_at IS NULL) AS prefix`,
    {
      workspaceId: demo.workspace_id,
      accountId: demo.business_account_id ?? '',
      memberId: demo.member_id ?? 0,
      email: demo.email ?? '',
      inboxId: demo.inbox_id ?? 0,
      keyId: demo.key_id ?? 0,
    },
  );
  if (!found?.has_account) return {};
  const known = { ...demo };
  if (!found.has_member) for (const name of ['member_id', 'key_id'] as const) delete known[name];
  if (!found.has_inbox) delete known.inbox_id;
  if (found.prefix === null || !known.api_key?.startsWith(found.prefix)) delete known.key_id;
  return known;
}

async function findEarlier(runtime: Runtime): Promise<Earlier> {
  const account = await runtime.db.row<{ workspace_id: number }>(
    'SELECT workspace_id FROM business_accounts WHERE account_id = $accountId',
    { accountId: demoBusinessAccountId },
  );
  const member = await runtime.db.row<{ id: number; workspace_id: number }>(
    'SELECT id, workspace_id FROM members WHERE lower(email) = $email',
    { email: usualEmail },
  );
  const inbox = await runtime.db.row<{ id: number }>(
    'SELECT id FROM team_inboxes WHERE workspace_id = $workspaceId AND name = $name',
    { workspaceId: account?.workspace_id ?? 0, name: inboxName },
  );
  return { account, member, inbox };
}

type Account = Pick<Demo, 'workspace_id' | 'business_account_id' | 'access_token' | 'app_secret' | 'verify_token'>;

async function makeWorkspace(runtime: Runtime, earlier: Earlier): Promise<Account> {
  const accessToken = random(24);
  const appSecret = random(16);
  const verifyToken = random(12);
  const workspaceId = await runtime.db.transaction(async () => {
    const id =
      earlier.account?.workspace_id ??
      (
        await createWorkspace(runtime, {
          name: 'Demo workspace',
          timezone: 'Europe/Berlin',
          plan: 'demo',
          ticketing: true,
        })
      ).id;
    const secrets = { accessToken, appSecret, verifyToken };
    if (!earlier.account) await setDomain(ctxOf(runtime, id), 'msgdesk.test');
    await connectAccount(ctxOf(runtime, id), { accountId: demoBusinessAccountId, ...secrets });
    return id;
  });
  return {
    workspace_id: workspaceId,
    business_account_id: demoBusinessAccountId,
    access_token: accessToken,
    app_secret: appSecret,
    verify_token: verifyToken,
  };
}

async function makeOwner(ctx: Ctx, { member }: Earlier): Promise<Pick<Demo, 'member_id' | 'email' | 'password'>> {
  const password = random(8);
  if (member && member.workspace_id === ctx.workspaceId) {
    await updateMember(ctx, member.id, { password, role: 'owner', isActive: true });
    return { member_id: member.id, email: usualEmail, password };
  }
  // An email is unique in the installation: another workspace may have this one.
  const email = member ? `demo+${random(3)}@msgdesk.test` : usualEmail;
  const made = await createMember(ctx, { email, role: 'owner', name: 'Demo Owner', password });
  return { member_id: made.id, email, password };
}

/** Returns the context in which the demo is made and changed: the system's own. */
export function ctxOf(runtime: Runtime, workspaceId: number): Ctx {
  return systemCtx(runtime, workspaceId, 'demo');
}

/**
 * Makes sure that the demo workspace exists: workspace, owner, team inbox and API key with every scope a key may carry.
 * Each step is remembered as soon as it is done, so a run that was cut short goes on where it ended; what is there
 * without being remembered gets new credentials.
 */
export async function provision(runtime: Runtime, dataDir: string): Promise<Demo> {
  const file = demoFile(dataDir);
  const demo = await stillThere(runtime, readJson<Partial<Demo>>(file));
  if (isWhole(demo)) return demo;
  const { db } = runtime;
  const earlier = await findEarlier(runtime);
  const keep = (values: Partial<Demo>): void => writePrivate(file, Object.assign(demo, values));

  if (!demo.workspace_id) keep(await makeWorkspace(runtime, earlier));
  const ctx = ctxOf(runtime, demo.workspace_id ?? 0);
  if (!demo.member_id) keep(await db.transaction(() => makeOwner(ctx, earlier)));
  const memberId = demo.member_id ?? 0;
  if (!demo.inbox_id) {
    const inbox =
      earlier.inbox ?? (await db.transaction(() => createInbox(ctx, { name: inboxName, memberIds: [memberId] })));
    keep({ inbox_id: inbox.id });
  }
  if (!demo.key_id) {
    const { key, apiKey } = await db.transaction(() =>
      createKey(ctx, { memberId, name: 'Demo', scopes: ['all'], autonomy: 'autonomous', notes: true }),
    );
    keep({ key_id: key.id, api_key: apiKey });
  }
  if (!isWhole(demo)) throw new Error('the demo workspace is not whole');
  return demo;
}

function isWhole(demo: Partial<Demo>): demo is Demo {
  return Boolean(demo.workspace_id && demo.member_id && demo.inbox_id && demo.key_id);
}
