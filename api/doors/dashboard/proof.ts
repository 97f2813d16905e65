import { AppError, type FieldErrors } from '../../core/http/errors';
import { challengePasskey } from '../../services/identity/factors/passkeys';
import { hasFactor } from '../../services/identity/factors/service';
import type { PageAnswer, PageRequest } from './page';

/** Where a member shows again that it is them; `next` is where they go on. */
export const verifyPath = '/dashboard/verify/';

const names = ['proof_code', 'proof_password', 'proof_passkey'] as const;

/** Reads the field into which the script of passkeys puts what the browser answered; undefined: nothing. */
export function readPasskeyField(given: string | null | undefined): unknown {
  if (!given) return undefined;
  try {
    return JSON.parse(given);
  } catch {
    return given;
  }
}

/**
 * Takes the proof that a form carries beside its own fields, and returns what is wrong with it; null: nothing, and
 * undefined where it carries none.
 */
export async function takeProof(page: PageRequest): Promise<FieldErrors | null | undefined> {
  const { proof_code: code, proof_password: password, proof_passkey: passkey } = page.form;
  if (!code && !password && !passkey) return undefined;
  const taken = await page.attempt(() =>
    page.call('sessions.confirm', {
      code: code || undefined,
      password: password || undefined,
      passkey: readPasskeyField(passkey),
    }),
  );
  return 'errors' in taken ? taken.errors : null;
}

/**
 * Asks a member to show again that it is them, and then does what they asked for: the form goes on with its own fields.
 * A part of a page leads to a page that asks, and comes back.
 */
export async function askAgain(page: PageRequest, errors?: FieldErrors): Promise<PageAnswer> {
  const { req, ctx, member } = page;
  if (req.get('hx-request') !== undefined) {
    const current = req.get('hx-current-url') ?? '';
    const next = URL.canParse(current) ? new URL(current).pathname : '/dashboard/';
    return { status: 403, html: '', headers: { 'HX-Redirect': page.link(verifyPath, { next }) } };
  }
  const isForm = req.method === 'POST';
  const own = page.entries.filter(([name]) => name !== 'csrf' && !(names as readonly string[]).includes(name));
  const passkey = await challengePasskey(ctx.runtime, member.id, ctx.actor.sessionId ?? 0);
  const data = {
    action: isForm ? req.originalUrl : verifyPath,
    fields: isForm ? own : [['next', page.query['next'] ?? req.originalUrl]],
    hasFactor: await hasFactor(ctx.runtime, member.id),
    passkey: passkey && JSON.stringify(passkey),
    errors,
  };
  const status = isForm || req.path !== verifyPath ? 403 : 200;
  return page.page('/verify', data, { title: 'Is it you?', place: '', status, scripts: ['passkey.js'] });
}

/** Returns whether a refusal asks the member to show again that it is them. */
export function isAskedAgain(error: unknown): boolean {
  return error instanceof AppError && error.publicCode === 'reauthentication_required';
}
