import { createHmac, randomBytes } from 'node:crypto';
import type { WebhookSubscriptionRow } from '../../../../models';
import type { Config } from '../../../core/config';
import type { Runtime } from '../../../core/runtime';
import { decryptSecret, encryptSecret } from '../../../core/secrets';

const secretBytes = 32;
const prefix = 'whsec_';
/** Most replaced secrets that sign beside the present one: the header stays below 600 characters. */
const maxReplaced = 10;

/** Makes a signing secret in the form of Standard Webhooks. */
export function newSecret(): string {
  return `${prefix}${randomBytes(secretBytes).toString('base64')}`;
}

/** Encrypts a secret for its subscription. */
export function sealSecret(config: Config, subscriptionId: number, secret: string): string {
  return encryptSecret(config.secretsKeys, secret, placeOf(subscriptionId));
}

/** Where a sealed secret belongs; the same for the present one and those that it replaced. */
function placeOf(subscriptionId: number): string {
  return `webhook_subscriptions/${subscriptionId}`;
}

type Sealed = Pick<WebhookSubscriptionRow, 'id' | 'sealed_secret' | 'previous_secret' | 'previous_until'>;

/** Returns the secrets that sign at this moment, the present one first. */
export function signingSecrets(config: Config, row: Sealed, now: Date): string[] {
  const previous = row.previous_until !== null && row.previous_until > now ? row.previous_secret : null;
  return [row.sealed_secret, ...(previous === null ? [] : [previous])].flatMap((sealed) =>
    decryptSecret(config.secretsKeys, sealed, placeOf(row.id)).split(' '),
  );
}

/**
 * Encrypts what signs now as the replaced secrets of a subscription that gets a new one. Nobody knows which of them the
 * receiver has: the answer to an earlier rotation may have been lost.
 */
export function sealReplaced(config: Config, row: Sealed, now: Date): string {
  return sealSecret(config, row.id, signingSecrets(config, row, now).slice(0, maxReplaced).join(' '));
}

/** Returns the headers of one attempt (Standard Webhooks 1.0): one signature for each secret. */
export function signatureHeaders(
  secrets: readonly string[],
  eventId: string,
  at: Date,
  body: string,
): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1_000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(prefix.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${eventId}.${timestamp}.${body}`).digest('base64')}`;
  });
  return {
    'webhook-id': eventId,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}

/** Encrypts every signing secret again with the current key. Returns how many subscriptions it changed. */
export async function resealWebhookSecretsAnywhere(runtime: Runtime): Promise<number> {
  const { WebhookSubscription } = runtime.db.models;
  const keys = runtime.config.secretsKeys;
  let resealed = 0;
  // The installation's own key: all workspaces at once, like the operator who changes it.
  for (const row of await WebhookSubscription.findAll({ order: ['id'] })) {
    const anew = (sealed: string): string =>
      sealSecret(runtime.config, row.id, decryptSecret(keys, sealed, placeOf(row.id)));
    const [changed] = await WebhookSubscription.update(
      {
        sealed_secret: anew(row.sealed_secret),
        previous_secret: row.previous_secret === null ? null : anew(row.previous_secret),
      },
      // Only where no rotation has come between.
      { where: { id: row.id, sealed_secret: row.sealed_secret } },
    );
    resealed += changed;
  }
  return resealed;
}
