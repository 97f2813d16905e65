import { boolean, described, input, required, text } from '../../../core/fields';
import { operation, type Operation } from '../../../core/operations';
import { wire } from '../../../core/shapes';
import { changePassword } from './service';
import { passwordRule } from '../members/passwordStrength';

const password = (): ReturnType<typeof text> => text({ max: 1_024, blank: false, trim: false });

/** The member's own password. */
export const passwordOperations: readonly Operation[] = [
  operation({
    id: 'password.change',
    method: 'POST',
    path: '/api/v1/password/',
    tag: 'Account',
    summary: 'Change your password',
    description:
      'Ends all of your sessions, this one included: sign in again with the new password. Your ' +
      'API keys and connected agents go on working unless you say otherwise.',
    scope: null,
    audience: 'session',
    body: input({
      current_password: required(password()),
      new_password: required(described(password(), passwordRule)),
      revoke_api_keys: required(described(boolean(), 'Whether your API keys are revoked.')),
      disconnect_agents: required(described(boolean(), 'Whether the agents that you connected are disconnected.')),
    }),
    status: 200,
    output: wire.named('PasswordChange', {
      sessions_ended: wire.integer(),
      api_keys_revoked: wire.integer(),
      agents_disconnected: wire.integer(),
    }),
    run: (ctx, values) => changePassword(ctx, values),
  }),
];
