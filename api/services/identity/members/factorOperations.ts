import { of } from '../../../core/db/scoped';
import { described, input, jsonObject, required, text } from '../../../core/http/fields';
import { operation } from '../../../core/http/operations';
import { isoTime, wire } from '../../../core/http/shapes';
import { noPasskeys, startPasskey } from '../factors/passkeys';
import { addPasskey, addTotp, listFactors, removeFactor, renewCodes, type FactorRecord } from '../factors/service';
import { startTotp } from '../factors/totp';
import { getWorkspace } from '../workspaces/service';
import { getMember } from './service';
import { confirmSession, noteFactor } from './sessions';

/** What a member can show at sign-in. */
export const factorShape = wire.named('Factor', {
  id: wire.integer(),
  kind: wire.oneOf(['totp', 'passkey', 'recovery']),
  name: wire.text(),
  created_at: wire.datetime(),
  last_used_at: wire.nullable(wire.datetime()),
  codes_left: wire.nullable(wire.integer('Recovery codes that were not used; null for other kinds.')),
});

/** Recovery codes, where some were made. */
export const codesShape = wire.named('RecoveryCodeSet', {
  recovery_codes: {
    ...wire.nullable(wire.list(wire.text())),
    description: 'With a first factor: each works once in place of another factor; shown this once.',
  },
});

/** What an authenticator app is given. */
export const totpStartShape = wire.named('AuthenticatorStart', {
  secret: wire.text('Base32, to be typed into the app.'),
  uri: wire.text('`otpauth://…`, to be shown as a QR code.'),
  enrolment: wire.text('To be sent back with a code.'),
});

function factorView(row: FactorRecord): Record<string, unknown> {
  return { ...row, created_at: isoTime(row.created_at), last_used_at: isoTime(row.last_used_at) };
}

const name = (): ReturnType<typeof required<string>> => required(text({ max: 64, blank: false }));
const common = { tag: 'Account', scope: null, audience: 'session' } as const;
const path = '/api/v1/factors/';

/** What a member proves beside the password. */
export const factorOperations = [
  operation({
    ...common,
    id: 'factors.list',
    method: 'GET',
    path,
    summary: 'List your second factors',
    description: 'Authenticator apps, passkeys and recovery codes that you can show at sign-in.',
    status: 200,
    output: wire.list(factorShape),
    run: async (ctx) => (await listFactors(ctx)).map(factorView),
  }),
  operation({
    ...common,
    id: 'factors.startTotp',
    method: 'GET',
    path: `${path}totp/`,
    summary: 'Begin to add an authenticator app',
    description: 'A new secret for the app. Nothing is kept until a code of it comes back with `enrolment`.',
    status: 200,
    output: totpStartShape,
    run: async (ctx) => {
      const { id, email } = await getMember(ctx, ctx.actor.memberId ?? 0);
      return startTotp(ctx.runtime, id, email);
    },
  }),
  operation({
    ...common,
    id: 'factors.addTotp',
    method: 'POST',
    path: `${path}totp/`,
    asksAgain: true,
    summary: 'Add an authenticator app',
    description:
      'Your first factor answers with recovery codes and ends your other sessions: from now on each sign-in asks for ' +
      'a factor.',
    body: input({
      enrolment: required(described(text({ max: 1_000, blank: false }), 'Of *Begin to add an authenticator app*.')),
      code: required(text({ max: 20, blank: false })),
      name: name(),
    }),
    status: 201,
    output: codesShape,
    conflicts: { when: 'You have 20 factors already.', example: 'A member has at most 20 factors.' },
    run: async (ctx, values) => {
      const codes = await addTotp(ctx, values);
      await noteFactor(ctx, codes !== null);
      return { recovery_codes: codes };
    },
  }),
  operation({
    ...common,
    id: 'factors.startPasskey',
    method: 'POST',
    path: `${path}passkeys/start/`,
    asksAgain: true,
    summary: 'Begin to add a passkey',
    description:
      'What `navigator.credentials.create` takes as JSON. Passkeys need an address with a host name over https, or ' +
      '`http://localhost`.',
    status: 200,
    conflicts: { when: 'The address of this installation allows none.', example: String(noPasskeys) },
    output: wire.open('PasskeyOptions', { challenge: wire.text('What the passkey signs.') }, ['challenge']),
    run: async (ctx) => {
      const { id, email } = await getMember(ctx, ctx.actor.memberId ?? 0);
      return startPasskey(ctx.runtime, { memberId: id, sessionId: ctx.actor.sessionId ?? 0, email });
    },
  }),
  operation({
    ...common,
    id: 'factors.addPasskey',
    method: 'POST',
    path: `${path}passkeys/`,
    asksAgain: true,
    summary: 'Add a passkey',
    description: 'Takes what the browser made, as JSON. Answers as *Add an authenticator app* does.',
    body: input({ passkey: required(described(jsonObject(), 'What the browser made, as JSON.')), name: name() }),
    status: 201,
    output: codesShape,
    conflicts: { when: 'You have 20 factors already.', example: 'A member has at most 20 factors.' },
    run: async (ctx, values) => {
      const codes = await addPasskey(ctx, values.name, values.passkey);
      await noteFactor(ctx, codes !== null);
      return { recovery_codes: codes };
    },
  }),
  operation({
    ...common,
    id: 'factors.renewCodes',
    method: 'POST',
    path: `${path}recovery-codes/`,
    asksAgain: true,
    summary: 'Make new recovery codes',
    description: 'The earlier ones work no more.',
    status: 201,
    output: codesShape,
    conflicts: { when: 'You have no other factor.', example: 'Set up a second factor first.' },
    run: async (ctx) => ({ recovery_codes: await renewCodes(ctx) }),
  }),
  operation({
    ...common,
    id: 'factors.remove',
    method: 'DELETE',
    path: `${path}{id}/`,
    intParams: ['id'],
    asksAgain: true,
    summary: 'Remove one of your second factors',
    description: 'With the last one your recovery codes go, too.',
    status: 204,
    output: null,
    conflicts: {
      when: 'It is your last one, and the workspace demands one, or single sign-on.',
      example: 'Your workspace asks for a second factor: add another one before.',
    },
    run: async (ctx, { id }) => {
      // Where single sign-on is demanded it is an owner's way back.
      const bySso = { where: { require_sso: true } };
      const isDemanded =
        (await getWorkspace(ctx)).require_factor || (await of(ctx, ctx.runtime.db.models.SsoProvider).count(bySso)) > 0;
      await removeFactor(ctx, id, isDemanded);
    },
  }),
  operation({
    ...common,
    id: 'sessions.confirm',
    method: 'POST',
    path: '/api/v1/sessions/confirm/',
    summary: 'Show again that it is you',
    description:
      'What is refused with `reauthentication_required` works for ten minutes after this. Who has a second factor ' +
      'shows it, others their password.',
    body: input({
      code: described(text({ max: 40 }), 'Of an authenticator app, or a recovery code.'),
      passkey: described(jsonObject(), 'What the browser answered, as JSON.'),
      password: described(text({ max: 1_024, trim: false }), 'Where you have no second factor.'),
    }),
    status: 204,
    output: null,
    run: (ctx, proof) => confirmSession(ctx, proof),
  }),
];
