import { allScopes, type Autonomy, type Scope } from '../../api/core/http/access';
import { systemCtx, type Ctx } from '../../api/core/context';
import { createKey as createApiKey } from '../../api/services/identity/apiKeys/service';
import { createWorkspace as insertWorkspace } from '../../api/services/processes/workspaceSetup/service';
import { connectToSandbox, ownAccount, ownAccountBody, type OwnAccount } from '../../dev/makers/accounts';
import type { TestServer } from '../support/api';
import type { ApiClient } from '../support/client';
import { createMember, type TestMember } from './members';
import { unique } from './unique';

type Json = Record<string, unknown>;

export interface TestKey {
  readonly id: number;
  readonly token: string;
  readonly api: ApiClient;
}

interface KeyOptions {
  readonly member?: TestMember;
  readonly expiresAt?: Date;
  readonly autonomy?: Autonomy;
  readonly allowedAddresses?: readonly string[];
  readonly notes?: boolean;
}

/** A tenant with an owner, a key of all scopes that reads notes and, beside a sandbox, a synced account of its own. */
export interface TestWorkspace {
  readonly id: number;
  readonly server: TestServer;
  readonly ctx: Ctx;
  readonly owner: TestMember;
  readonly account: OwnAccount;
  readonly token: string;
  readonly api: ApiClient;
  /** Returns a key of the owner (or another member) with these scopes. */
  key(scopes: readonly (Scope | 'all')[], options?: KeyOptions): Promise<TestKey>;
}

interface WorkspaceOptions {
  readonly name?: string;
  readonly timezone?: string;
  readonly plan?: string | null;
  readonly trialEndsAt?: Date;
  readonly ticketing?: boolean;
  /** Further or other settings of the sandbox account: `templates`, `flows`, `products`, `phone_numbers`. */
  readonly account?: Json;
  /** False: without a business account. */
  readonly connected?: boolean;
}

/** Makes a tenant. Its upstream ids are its own, its templates are those of the sandbox's demo account. */
export async function createWorkspace(server: TestServer, options: WorkspaceOptions = {}): Promise<TestWorkspace> {
  const { runtime } = server;
  const row = await insertWorkspace(runtime, {
    name: options.name ?? `Workspace ${unique()}`,
    ticketing: options.ticketing ?? true,
    ...(options.plan === null ? {} : { plan: options.plan ?? 'test' }),
    ...(options.timezone ? { timezone: options.timezone } : {}),
    ...(options.trialEndsAt ? { trialEndsAt: options.trialEndsAt } : {}),
  });
  const ctx = systemCtx(runtime, row.id, 'test');
  const number = unique();
  const account = ownAccount(number, {
    accessToken: `access-${number}`,
    appSecret: `secret-${number}`,
    verifyToken: `verify-${number}`,
  });
  if (server.hasSandbox && options.connected !== false) {
    const body = { ...ownAccountBody(account, `${server.url}/webhooks/msgapp/`), ...options.account };
    await connectToSandbox(ctx, body, (told) => server.sandbox.account(told));
  }

  async function key(
    this: void,
    scopes: readonly (Scope | 'all')[],
    { member, ...more }: KeyOptions = {},
  ): Promise<TestKey> {
    const { key: stored, apiKey } = await createApiKey(ctx, {
      memberId: (member ?? owner).id,
      name: 'test',
      scopes: [...scopes],
      autonomy: more.autonomy ?? 'autonomous',
      expiresAt: more.expiresAt,
      allowedAddresses: more.allowedAddresses,
      notes: more.notes,
    });
    return { id: stored.id, token: apiKey, api: server.anonymous.with({ authorization: `Bearer ${apiKey}` }) };
  }

  const owner = await createMember({ server, ctx }, { role: 'owner', permissions: allScopes });
  const full = await key(['all'], { notes: true });
  return { id: row.id, server, ctx, owner, account, token: full.token, api: full.api, key };
}
