import type { Command } from 'commander';
import { resealCredentials } from '../api/services/resources/accounts/service';
import { resealWebhookSecretsAnywhere } from '../api/services/resources/webhooks/secrets';
import { group, installationOf, recorded, type Deps } from './deps';

/** `secrets rotate`: what is encrypted at rest, under the key in use. */
export function registerSecrets(program: Command, deps: Deps): void {
  group(program, 'secrets', 'Change the key that encrypts credentials at rest.')
    .command('rotate')
    .description(
      'Encrypt all stored credentials anew with the first key of SECRETS_KEY. Before: set SECRETS_KEY to "new,old" ' +
        'and restart every process. Keep the old key behind the new one: the opt-outs of erased contacts are ' +
        'found by it.',
    )
    .action(() =>
      deps.run((runtime) =>
        recorded(installationOf(runtime), 'secrets.rotate', {}, async () => ({
          accounts: await resealCredentials(runtime),
          webhooks: await resealWebhookSecretsAnywhere(runtime),
        })),
      ),
    );
}
