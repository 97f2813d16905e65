const maxLength = 2_000;
const loopbackHosts = ['localhost', '127.0.0.1', '[::1]'];
/** Schemes that browsers run, read or send with, instead of handing them to an application. */
const unsafeSchemes = [
  'javascript:',
  'data:',
  'vbscript:',
  'file:',
  'filesystem:',
  'blob:',
  'about:',
  'view-source:',
  'ftp:',
  'ws:',
  'wss:',
  'mailto:',
  'tel:',
  'sms:',
  'intent:',
  'jar:',
  'chrome:',
];
/** Parameters that our own answer adds. */
const ownParameters = ['code', 'state', 'iss', 'error', 'error_description'];

/**
 * Returns what is wrong with a redirect URI as a registration, or null. Allowed are https, http on the loopback
 * interface and private-use schemes of applications (RFC 8252 section 7), without fragment and user (RFC 6749 section
 * 3.1.2).
 */
export function redirectUriFault(uri: string): string | null {
  if (uri.length > maxLength) return `Ensure this value has no more than ${maxLength} characters.`;
  // The comparison is by character (RFC 9700 section 2.1), so nothing may be in it that a parser would change silently.
  if (!/^[\x21-\x7e]+$/.test(uri) || /[\\"<>^`{|}]/.test(uri) || !URL.canParse(uri))
    return 'Enter an absolute URL in ASCII.';
  const parsed = new URL(uri);
  if (uri.includes('#')) return 'A redirect URI has no fragment.';
  if (uri.includes('*')) return 'Wildcards are not allowed: a redirect URI is compared as it is.';
  if (parsed.username !== '' || parsed.password !== '') return 'A redirect URI has no user or password.';
  if (unsafeSchemes.includes(parsed.protocol)) return `The scheme ${parsed.protocol.slice(0, -1)} is not allowed.`;
  if (ownParameters.some((name) => parsed.searchParams.has(name)))
    return `The parameters ${ownParameters.join(', ')} are ours to add.`;
  if (parsed.protocol === 'http:' && !loopbackHosts.includes(parsed.hostname))
    return 'http is allowed on localhost, 127.0.0.1 and [::1] only; use https.';
  return null;
}

/**
 * Returns whether the redirect leads to a program on the user's own machine, which any program there could listen for.
 */
export function isLoopback(uri: string): boolean {
  const { protocol, hostname } = new URL(uri);
  return protocol === 'http:' && loopbackHosts.includes(hostname);
}

/** Returns where a redirect leads, in words for a person: the host, or the scheme of an application. */
export function redirectTarget(uri: string): string {
  const { protocol, host } = new URL(uri);
  return protocol === 'http:' || protocol === 'https:' ? host : `the application that opens ${protocol}// links`;
}

/** Returns the redirect with our parameters added; what is registered stays as it is, character by character. */
export function withParameters(uri: string, parameters: Readonly<Record<string, string | null | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (typeof value === 'string') query.append(name, value);
  return `${uri}${uri.includes('?') ? '&' : '?'}${query.toString()}`;
}
