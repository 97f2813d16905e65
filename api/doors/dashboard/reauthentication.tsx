import { AppError, type FieldErrors } from '../../core/http/errors';
import { challengePasskey } from '../../services/identity/factors/passkeys';
import { hasFactor } from '../../services/identity/factors/service';
import { hasSubject } from '../../services/identity/members/subjects';
import { providerOf } from '../../services/identity/sso/service';
import { beginSso } from '../../services/identity/sso/signIn';
import type { PageAnswer, PageRequest } from './page';
import { Errors, Field, Form } from './parts';
import { Hidden } from './plainPages';
import { ownPath } from './signIn';
import { keepAttempt } from './sso';
import { words } from './words';

const { signIn: said } = words;
const { verify, factor } = said;

/** Where a member shows again that it is them; `next` is where they go on. */
export const verifyPath = '/dashboard/verify/';

/** The way to the company's provider, which asks them. */
export const verifySsoPath = `${verifyPath}sso/`;

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
 * Asks a member to prove again who they are, and then does what they asked for: the form carries its own fields along.
 * A part of a page leads to a page that asks, which leads back.
 */
export async function askAgain(page: PageRequest, errors?: FieldErrors): Promise<PageAnswer> {
  const { req, ctx, member } = page;
  if (req.get('hx-request') !== undefined) {
    const next = pathOf(req.get('hx-current-url'));
    return { status: 403, html: '', headers: { 'HX-Redirect': page.link(verifyPath, { next }) } };
  }
  const isForm = req.method === 'POST';
  const own = page.entries.filter(([name]) => name !== 'csrf' && !(names as readonly string[]).includes(name));
  const passkey = await challengePasskey(ctx.runtime, member.id, ctx.actor.sessionId ?? 0);
  // A form cannot go along to the provider: the member comes back to the page with it.
  const next = isForm ? pathOf(req.get('referer')) : (page.query['next'] ?? req.originalUrl);
  const sso = (await hasSubject(ctx)) && (await providerOf(ctx)) && page.link(verifySsoPath, { next });
  const knowsFactor = await hasFactor(ctx.runtime, member.id);
  const body = (
    <div class="column">
      <h1>{verify.title}</h1>
      <p class="soft">{verify.about}</p>
      <Form action={isForm ? req.originalUrl : verifyPath} csrf={page.csrf}>
        <Hidden fields={isForm ? own : [['next', next]]} />
        <input type="hidden" name="proof_passkey" data-passkey-answer="" />
        <Errors errors={errors} />
        {knowsFactor ? (
          <Field
            name="proof_code"
            label={factor.code}
            required
            attributes={{ autocomplete: 'one-time-code', maxlength: 40, spellcheck: 'false' }}
          />
        ) : (
          !sso && (
            <Field
              name="proof_password"
              label={verify.password}
              type="password"
              required
              attributes={{ autocomplete: 'current-password' }}
            />
          )
        )}
        <div class="actions">
          {passkey && (
            <button class="button" type="button" data-passkey={JSON.stringify(passkey)}>
              {factor.passkey}
            </button>
          )}
          {sso && (
            <a class="button" href={sso}>
              {verify.company}
            </a>
          )}
          {(knowsFactor || !sso) && (
            <button class="button button-main" type="submit">
              {said.goOn}
            </button>
          )}
        </div>
      </Form>
    </div>
  );
  const status = isForm || req.path !== verifyPath ? 403 : 200;
  return page.page(body, { title: verify.title, place: '', status, scripts: ['passkey.js'] });
}

function pathOf(url = ''): string {
  return URL.canParse(url) ? new URL(url).pathname : '/dashboard/';
}

/** Leads a member to their company's provider, to show again that it is them, and then to `next`. */
export async function askProvider(page: PageRequest): Promise<PageAnswer> {
  const { ctx, member, res } = page;
  const next = ownPath(ctx.runtime, page.query['next'] ?? null);
  const provider = await providerOf(ctx);
  if (!provider) return page.redirect(page.link(verifyPath, { next }));
  const sessionId = ctx.actor.sessionId ?? null;
  const { url, kept } = await beginSso(ctx.runtime, provider, { next, email: member.email, sessionId });
  keepAttempt(ctx.runtime, res, kept);
  return page.redirect(url);
}

/** Returns whether a refusal asks the member to show again that it is them. */
export function isAskedAgain(error: unknown): boolean {
  return error instanceof AppError && error.publicCode === 'reauthentication_required';
}
