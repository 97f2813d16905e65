/** The subscription that leads to the receiver, as the launcher remembers it. */
export interface KnownSubscription {
  receiver_id?: number;
  receiver_secret?: string;
}

interface Subscription {
  id: number;
  url: string;
  events: string[];
  scopes: string[];
  is_active: boolean;
  disabled_at: string | null;
  secret?: string;
}

type Call = (method: string, path: string, body?: object) => Promise<Response>;

const callMs = 20_000;
/** Everything that happens; and what the actions of an answer may do. */
const wanted = { events: ['*'], scopes: ['chat.send_message', 'chat.assign', 'contact.edit', 'ticket.manage'] };

/**
 * Makes sure that the events of a workspace come to the sandbox's receiver, and that it knows the secret. Goes on with
 * the subscription that it made before, or that leads there already; one that the service deactivated is woken up.
 */
export async function subscribeReceiver(options: {
  baseUrl: string;
  apiKey: string;
  sandboxUrl: string;
  known: KnownSubscription;
}): Promise<Required<KnownSubscription>> {
  const { baseUrl, apiKey, sandboxUrl, known } = options;
  const headers = { authorization: `Bearer ${apiKey}` };
  const api: Call = (method, path, body) => request(method, `${baseUrl}/api/v1/webhooks/${path}`, headers, body);
  const url = `${sandboxUrl}/receiver`;

  const all = await read<Subscription[]>(await api('GET', ''));
  const old = all.find(({ id }) => id === known.receiver_id) ?? all.find((found) => found.url === url);
  const subscription = old ?? (await read<Subscription>(await api('POST', '', { url, ...wanted })));
  if (old) await bringUpToDate(api, old, url, old.id !== known.receiver_id);

  const secret =
    subscription.secret ??
    (subscription.id === known.receiver_id ? known.receiver_secret : undefined) ??
    (await read<Subscription>(await api('POST', `${subscription.id}/rotate-secret/`, {}))).secret;
  if (!secret) throw new Error('The subscription has no secret.');
  await read(await request('POST', `${sandboxUrl}/_control/receiver`, {}, { secret }));
  return { receiver_id: subscription.id, receiver_secret: secret };
}

/** Corrects the address and wakes what the service deactivated. What a person changed stays, once it was adopted. */
async function bringUpToDate(api: Call, old: Subscription, url: string, isNew: boolean): Promise<void> {
  const change = {
    ...(old.url === url ? {} : { url }),
    ...(isNew ? wanted : {}),
    ...(old.is_active || old.disabled_at === null ? {} : { is_active: true }),
  };
  if (Object.keys(change).length > 0) await read(await api('PATCH', `${old.id}/`, change));
}

function request(method: string, url: string, headers: Record<string, string>, body?: object): Promise<Response> {
  return fetch(url, {
    method,
    headers: { ...(body ? { 'content-type': 'application/json' } : {}), ...headers },
    signal: AbortSignal.timeout(callMs),
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
}

async function read<T>(response: Response): Promise<T> {
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.url} answered ${response.status}: ${text}`);
  return JSON.parse(text) as T;
}
