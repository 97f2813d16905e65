import { generateSync } from 'otplib';
import type { Runtime } from '../../api/core/runtime';
import type { ApiClient } from './client';

/** An authenticator app as a test has it. */
export interface App {
  readonly codes: readonly string[];
  /** With what it was set up. */
  readonly given: { readonly enrolment: unknown; readonly code: string };
  /** The code of now (or another time), or of some steps of half a minute away from it. */
  code(steps?: number, atMs?: number): string;
}

/** Sets up an authenticator app in a session. */
export async function addApp(api: ApiClient): Promise<App> {
  const { body: start } = await api.get('/api/v1/factors/totp/');
  const secret = String(start['secret']);
  const code = (steps = 0, atMs = Date.now()): string =>
    generateSync({ secret, epoch: Math.floor(atMs / 1_000) + steps * 30 });
  const given = { enrolment: start['enrolment'], code: code() };
  const added = await api.post('/api/v1/factors/totp/', { ...given, name: 'App' });
  if (added.status !== 201) throw new Error(`the app was refused: ${JSON.stringify(added.body)}`);
  return { codes: (added.body['recovery_codes'] ?? []) as string[], given, code };
}

/** Forgets which codes were used, so that a test need not wait for the next one. */
export async function freshCodes(runtime: Runtime): Promise<void> {
  await runtime.db.rows('UPDATE factors SET last_step = NULL');
}
