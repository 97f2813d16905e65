import { createHash, randomBytes } from 'node:crypto';
import type { Scope } from '../../api/core/http/access';
import type { Ctx } from '../../api/core/context';
import {
  createMember as addMember,
  updateMember,
  type MemberChanges,
  type MemberRole,
} from '../../api/services/identity/members/service';
import type { TestServer } from '../support/api';
import type { ApiClient } from '../support/client';
import { unique } from './unique';

export interface TestMember {
  readonly id: number;
  readonly email: string;
  readonly ctx: Ctx;
  readonly server: TestServer;
  update(changes: MemberChanges): Promise<void>;
}

interface MemberOptions {
  readonly email?: string;
  readonly name?: string;
  readonly role?: MemberRole;
  readonly permissions?: readonly Scope[];
}

/** Makes a member who has no password (hashing one takes half a second): sign them in with `createSession`. */
export async function createMember(
  workspace: { readonly server: TestServer; readonly ctx: Ctx },
  options: MemberOptions = {},
): Promise<TestMember> {
  const { server, ctx } = workspace;
  const email = options.email ?? `member${unique()}@desk.test`;
  const row = await addMember(ctx, {
    email,
    name: options.name ?? 'Sam Member',
    role: options.role ?? 'agent',
    permissions: options.permissions ?? [],
  });
  return {
    id: row.id,
    email,
    ctx,
    server,
    async update(changes) {
      await updateMember(ctx, row.id, changes);
    },
  };
}

/** A dashboard session: `api` speaks by the cookie `token`. */
export interface TestSession {
  readonly token: string;
  readonly api: ApiClient;
}

/** Signs a member in without a password. */
export async function createSession(member: TestMember): Promise<TestSession> {
  const token = randomBytes(32).toString('base64url');
  await member.server.runtime.db.rows(
    // Nobody is asked again who they are, however long a test takes.
    `INSERT INTO sessions (member_id, token_hash, csrf_secret, verified_at, expires_at)
      VALUES ($memberId, $hash, $csrf, now() + interval '1 day', now() + interval '1 day')`,
    {
      memberId: member.id,
      hash: createHash('sha256').update(token).digest(),
      csrf: randomBytes(16).toString('base64url'),
    },
  );
  return { token, api: member.server.anonymous.with({ cookie: `token=${token}` }) };
}
