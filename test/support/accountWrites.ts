import { hashPassword } from '../../api/core/secrets';
import { createSession } from '../factories/members';
import { pushSubscription } from '../factories/writeSamples';
import { shown, valueOf, type Write } from './storedRows';

const password = 'Long-enough-9';

/** What the controls of a member's own account leave; the last ones end the sign-in that the others need. */
export const accountWrites: ReadonlyMap<string, Write> = new Map<string, Write>([
  [
    'POST account/authenticator/',
    {
      fill: { code: '000000' },
      // The code of a secret that no page knows is wrong: that is said.
      row: shown('#field-code-error'),
    },
  ],
  ...['factors/:id/remove/', 'recovery-codes/'].map((path): [string, Write] => [
    `POST account/${path}`,
    {
      at: () => '/dashboard/account/',
      prepare: (place) =>
        valueOf(place, `INSERT INTO factors (member_id, kind, name) VALUES ($me, 'totp', 'App') RETURNING id AS it`, {
          me: place.member.id,
        }),
      row: (place) =>
        valueOf(place, `SELECT count(*)::text || max(id)::text AS it FROM factors WHERE member_id = $me`, {
          me: place.member.id,
        }),
    },
  ]),
  [
    'POST account/browsers/:id/remove/',
    {
      at: () => '/dashboard/account/',
      prepare: async ({ member, mark }) =>
        (await createSession(member)).api.post('/api/v1/push-subscriptions/', pushSubscription(mark)),
      row: (place) =>
        valueOf(place, 'SELECT count(*)::int AS it FROM push_subscriptions WHERE member_id = $me', {
          me: place.member.id,
        }),
    },
  ],
  ...['sessions/:id/end/', 'sessions/end/'].map((path): [string, Write] => [
    `POST account/${path}`,
    {
      at: () => '/dashboard/account/',
      prepare: async ({ member }) => [await createSession(member), await createSession(member)],
      row: (place) =>
        valueOf(place, 'SELECT count(*)::int AS it FROM sessions WHERE member_id = $me', { me: place.member.id }),
    },
  ]),
  [
    'POST rescue/',
    {
      at: () => '/dashboard/rescue/',
      prepare: ({ member }) => createSession(member),
      row: (place) =>
        valueOf(place, 'SELECT count(*)::int AS it FROM sessions WHERE member_id = $me', { me: place.member.id }),
    },
  ],
  [
    'POST sign-out/',
    {
      at: () => '/dashboard/account/',
      row: (place) =>
        valueOf(place, 'SELECT count(*)::int AS it FROM sessions WHERE member_id = $me', { me: place.member.id }),
    },
  ],
  [
    'POST account/password/',
    {
      prepare: async ({ show, page, member }) => {
        const { token } = await createSession(member);
        const url = show.workspace.server.url;
        await page.context().addCookies([{ name: 'token', value: token, url, httpOnly: true, sameSite: 'Lax' }]);
        await show.workspace.server.runtime.db.rows('UPDATE members SET password_hash = $hash WHERE id = $me', {
          hash: await hashPassword(password),
          me: member.id,
        });
      },
      fill: { current_password: password, new_password: `${password}!`, again: `${password}!` },
      row: (place) => valueOf(place, 'SELECT password_hash AS it FROM members WHERE id = $me', { me: place.member.id }),
    },
  ],
]);
