const maxLength = 2_000;
const loopbackHosts = ['localhost', '127.0.0.1', '[::1]'];
/**
 * Schemes of editors that are in use without being the reverse of a domain; all others without a dot may run code, read
 * files or start whatever a machine has, instead of opening the client's application (RFC 8252 section 7.1).
 */
const shortSchemes = ['cursor:', 'vscode:', 'vscode-insiders:', 'windsurf:'];
/** Parameters that we add to the redirect. */
const ownParameters = ['code', 'state', 'iss', 'error', 'error_description'];

/**
 * Returns why a redirect URI cannot be registered, or null. Allowed are https, http on the loopback interface and
 * private-use schemes of applications (RFC 8252 section 7), without fragment and user (RFC 6749 section 3.1.2).
 */
export function redirectUriFault(uri: string): string | null {
  if (uri.length > maxLength) return `Ensure this value has no more than ${maxLength} characters.`;
  // URIs are compared character by character (RFC 9700 section 2.1), so none may contain what a parser would change
  // silently.
  if (!/^[\x21-\x7e]+$/.test(uri) || /[\\"<>^`{|}]/.test(uri) || !URL.canParse(uri))
    return 'Enter an absolute URL in ASCII.';
  const parsed = new URL(uri);
  if (uri.includes('#')) return 'A redirect URI must not have a fragment.';
  if (uri.includes('*')) return 'Wildcards are not allowed: a redirect URI is compared character by character.';
  if (parsed.username !== '' || parsed.password !== '') return 'A redirect URI must not have a user name or password.';
  if (!/^https?:$|\./.test(parsed.protocol) && !shortSchemes.includes(parsed.protocol))
    return `The scheme ${parsed.protocol.slice(0, -1)} is not allowed: an application's has a dot, as com.example.app.`;
  if (ownParameters.some((name) => parsed.searchParams.has(name)))
    return `A redirect URI must not have the parameters ${ownParameters.join(', ')}: they are added to it.`;
  if (parsed.protocol === 'http:' && !loopbackHosts.includes(parsed.hostname))
    return 'http is allowed on localhost, 127.0.0.1 and [::1] only; use https.';
  return null;
}

/** Returns whether the redirect leads to the user's own machine, where any program could receive it. */
export function isLoopback(uri: string): boolean {
  const { protocol, hostname } = new URL(uri);
  return protocol === 'http:' && loopbackHosts.includes(hostname);
}

/** Returns a text for people that says where a redirect leads: the host, or the scheme of an application. */
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
