import type { Config } from '../config';

/** The platform's own hosts for media; the token must reach no other (contract 6). */
const mediaHosts = ['lookaside.fbsbx.com'];

/** Returns whether a media link leads to the upstream itself or to its media host. */
export function isMediaUrl(url: string, config: Pick<Config, 'upstream'>): boolean {
  let target: URL;
  try {
    target = new URL(url);
  } catch {
    return false;
  }
  if (target.username !== '' || target.password !== '') return false;
  return (
    target.origin === new URL(config.upstream.url).origin ||
    (target.protocol === 'https:' && target.port === '' && mediaHosts.includes(target.hostname))
  );
}

/** Hosts of the platform's content network, where links to assets lead. */
const assetHosts = ['.fbcdn.net', '.fbsbx.com', '.whatsapp.net', '.facebook.com'];

/** Returns whether a link to an asset leads to the upstream itself or to its content network. */
export function isAssetUrl(url: string, config: Pick<Config, 'upstream'>): boolean {
  if (isMediaUrl(url, config)) return true;
  if (!URL.canParse(url)) return false;
  const target = new URL(url);
  return (
    target.protocol === 'https:' &&
    target.port === '' &&
    target.username === '' &&
    target.password === '' &&
    assetHosts.some((host) => target.hostname.endsWith(host))
  );
}
