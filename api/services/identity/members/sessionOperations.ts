import { boolean, choice, described, input, nullable } from '../../../core/http/fields';
import { operation } from '../../../core/http/operations';
import { isoTime, wire } from '../../../core/http/shapes';
import { languages } from '../../../core/text/language';
import { changeOwnSettings, getMember, type MemberRecord } from './service';
import { endSession, endSessions, listSessions, type SessionRecord } from './sessions';

/** A dashboard session. */
export const sessionShape = wire.named('Session', {
  id: wire.integer(),
  user_agent: wire.text('What the browser called itself when it signed in.'),
  address: wire.text('The network that it signed in from.'),
  is_current: wire.boolean('Whether this is the session that asks.'),
  created_at: wire.datetime(),
  last_used_at: wire.datetime(),
  expires_at: wire.datetime(),
});

function sessionView(row: SessionRecord): Record<string, unknown> {
  return {
    id: row.id,
    user_agent: row.user_agent,
    address: row.address,
    is_current: row.is_current,
    created_at: isoTime(row.created_at),
    last_used_at: isoTime(row.last_used_at),
    expires_at: isoTime(row.expires_at),
  };
}

const settings = { path: '/api/v1/own-settings/', tag: 'Account', scope: null, audience: 'session' } as const;
const undoSend = 'Whether your pages wait five seconds before they send a text, so that it can be taken back.';
const opensNext = 'Whether your pages go on to the next conversation of the list when you are done with one.';
const takesAnswered =
  'Whether a conversation that is assigned to nobody becomes yours when you answer it, where you may assign it.';
const isAway = 'Whether you are away: no team inbox gives you conversations by itself. What you have stays yours.';
const language =
  'What the dashboard, mails and pushes speak to you; null: what your browser accepts, else what the workspace speaks.';
const settingsShape = wire.named('OwnSettings', {
  undo_send: wire.boolean(undoSend),
  opens_next: wire.boolean(opensNext),
  takes_answered: wire.boolean(takesAnswered),
  is_away: wire.boolean(isAway),
  language: { ...wire.nullable(wire.oneOf(languages)), description: language },
});
const settingsOf = ({
  undo_send,
  opens_next,
  takes_answered,
  is_away,
  locale,
}: MemberRecord): Record<string, unknown> => ({
  undo_send,
  opens_next,
  takes_answered,
  is_away,
  language: locale,
});

/** A member's own dashboard sessions, and how their pages behave (contract 18.4). */
export const sessionOperations = [
  operation({
    ...settings,
    id: 'ownSettings.get',
    method: 'GET',
    summary: 'Read your own settings',
    description: 'How your pages of the dashboard behave and speak, and which conversations become yours.',
    status: 200,
    output: settingsShape,
    run: async (ctx) => settingsOf(await getMember(ctx, ctx.actor.memberId ?? 0)),
  }),
  operation({
    ...settings,
    id: 'ownSettings.update',
    method: 'PATCH',
    summary: 'Change your own settings',
    description: 'Fields that are left out stay as they are.',
    body: input({
      undo_send: described(boolean(), undoSend),
      opens_next: described(boolean(), opensNext),
      takes_answered: described(boolean(), takesAnswered),
      is_away: described(boolean(), isAway),
      language: described(nullable(choice(languages)), language),
    }),
    status: 200,
    output: settingsShape,
    examples: { request: { undo_send: false } },
    run: async (ctx, { language: locale, ...values }) =>
      settingsOf(await changeOwnSettings(ctx, { ...values, ...(locale === undefined ? {} : { locale }) })),
  }),
  operation({
    id: 'sessions.list',
    method: 'GET',
    path: '/api/v1/sessions/',
    tag: 'Account',
    summary: 'List your own sessions',
    description: 'Your sign-ins that can still be used. A session ends after seven days, and after a day without use.',
    scope: null,
    audience: 'session',
    status: 200,
    output: wire.list(sessionShape),
    run: async (ctx) => (await listSessions(ctx)).map(sessionView),
  }),
  operation({
    id: 'sessions.endAll',
    method: 'DELETE',
    path: '/api/v1/sessions/',
    tag: 'Account',
    summary: 'End all of your sessions',
    description: 'Signs you out everywhere, here too unless `keep_current` is true.',
    scope: null,
    audience: 'session',
    query: input({ keep_current: described(boolean(), 'true keeps the session that sends this request.') }),
    status: 204,
    output: null,
    run: async (ctx, { keep_current }) => {
      await endSessions(ctx, ctx.actor.memberId, keep_current === true ? (ctx.actor.sessionId ?? null) : null);
    },
  }),
  operation({
    id: 'sessions.end',
    method: 'DELETE',
    path: '/api/v1/sessions/{id}/',
    intParams: ['id'],
    tag: 'Account',
    summary: 'End one of your sessions',
    description: 'Signs that browser out. Ending your current session signs you out here.',
    scope: null,
    audience: 'session',
    status: 204,
    output: null,
    run: (ctx, { id }) => endSession(ctx, id),
  }),
];
