import { boolean, choice, described, input, list, nullable, text } from '../../../core/http/fields';
import { operation } from '../../../core/http/operations';
import { wire } from '../../../core/http/shapes';
import { getSso, updateSso, type SsoRecord } from './service';

const newRoles = ['admin', 'agent'] as const;

/** How a workspace signs in. */
export const ssoShape = wire.named('SingleSignOn', {
  domain: wire.nullable(wire.text('Its emails sign in here; the operator gives it (`sso set`).')),
  issuer: wire.nullable(wire.text('null: single sign-on is not set up.')),
  client_id: wire.text('What the provider calls this installation.'),
  has_client_secret: wire.boolean('Whether a secret of the client is kept.'),
  redirect_uri: wire.text('Register this at the provider.'),
  new_member_role: {
    ...wire.nullable(wire.oneOf(newRoles)),
    description: 'What a person becomes who signs in for the first time; null: only members are let in.',
  },
  new_member_permissions: { ...wire.list(wire.text()), description: 'Permissions of who becomes a member so.' },
  require_sso: wire.boolean('Members sign in by the provider alone, owners also by password and second factor.'),
  require_factor_for_sso: wire.boolean('Whether a sign-in by the provider owes a second factor here, too.'),
});

/** Returns the wire form of how a workspace signs in. */
export function ssoView(row: SsoRecord): Record<keyof SsoRecord, unknown> {
  return { ...row };
}

const common = { path: '/api/v1/workspace/sso/', tag: 'Workspace', scope: 'workspace.manage' } as const;

/** How members sign in by the OpenID Connect provider of their company. */
export const ssoOperations = [
  operation({
    ...common,
    id: 'sso.get',
    method: 'GET',
    summary: 'Show single sign-on',
    description: 'The OpenID Connect provider by which members sign in, without the secret of its client.',
    audience: 'session',
    status: 200,
    output: ssoShape,
    run: async (ctx) => ssoView(await getSso(ctx)),
  }),
  operation({
    ...common,
    id: 'sso.update',
    method: 'PATCH',
    asksAgain: true,
    summary: 'Set up single sign-on',
    description:
      'Owners only. Fields that are left out stay. Another `issuer` signs out who came by the one before, ' +
      'and takes its secret away unless it comes with one.',
    audience: 'session',
    body: input({
      issuer: described(nullable(text({ max: 512 })), 'As the provider writes it: `https://…`. null gives it up.'),
      client_id: text({ max: 255 }),
      client_secret: described(nullable(text({ max: 1_024, blank: false })), 'null: a client without one.'),
      new_member_role: described(
        nullable(choice(newRoles)),
        'What a person of the domain becomes who signs in for the first time; null: only members are let in.',
      ),
      new_member_permissions: described(
        list(text({ max: 64, blank: false }), { max: 100 }),
        'Their permissions, as of *Add a team member*.',
      ),
      require_sso: described(
        boolean(),
        'true: members sign in by the provider alone, owners also by password and second factor. Before, you have ' +
          'signed in by it yourself, and an owner has both.',
      ),
      require_factor_for_sso: described(
        boolean(),
        'true: who signs in by the provider owes a second factor here, too; you need one before.',
      ),
    }),
    status: 200,
    output: ssoShape,
    conflicts: {
      when: 'The workspace has no domain, or you would lock yourself out.',
      example: 'Sign in by the provider once yourself, to see that it works.',
    },
    examples: { request: { new_member_role: 'agent', new_member_permissions: ['chat.view', 'chat.send_message'] } },
    run: async (ctx, changes) => ssoView(await updateSso(ctx, changes)),
  }),
];
