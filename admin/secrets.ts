import type { Command } from 'commander';
import { resealFactorsAnywhere } from '../api/services/identity/factors/totp';
import { resealSsoAnywhere } from '../api/services/identity/sso/service';
import { resealCredentials } from '../api/services/resources/accounts/service';
import { resealBrowsersAnywhere } from '../api/services/resources/notices/service';
import { resealWebhookSecretsAnywhere } from '../api/services/resources/webhooks/secrets';
import { group, installationOf, recorded, type Deps } from './deps';

/** `secrets rotate`: what is encrypted at rest, under the key in use. */
export function registerSecrets(program: Command, deps: Deps): void {
  group(program, 'secrets', 'Change the key that encrypts credentials at rest.')
    .command('rotate')
    .description(
      'Encrypt all that is sealed anew with the first key of SECRETS_KEY. Before: set SECRETS_KEY to "new,old" and ' +
        'restart every process. After: take the old key out of it.',
    )
    .action(() =>
      deps.run((runtime) =>
        recorded(installationOf(runtime), 'secrets.rotate', {}, async () => {
          await runtime.markKey.reseal();
          return {
            accounts: await resealCredentials(runtime),
            webhooks: await resealWebhookSecretsAnywhere(runtime),
            authenticators: await resealFactorsAnywhere(runtime),
            sso: await resealSsoAnywhere(runtime),
            browsers: await resealBrowsersAnywhere(runtime),
          };
        }),
      ),
    );
}
