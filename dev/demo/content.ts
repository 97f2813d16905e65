import { writePrivate } from '../lib/files';
import { demoPhoneNumberId as phoneNumberId } from '../sandbox/demo';
import { askAsAgent } from './agent';
import { call, until, type Answer, type Api, type Body } from './calls';
import { demoFile, type Demo } from './provision';
import { shopCustomers } from './shop';

/** The customer of every example in the documentation. */
const anna = { phone: '4915112345678', name: 'Anna' };
const flowId = '998877665544331';

/** What the workspace is filled with. */
interface FillOptions {
  readonly dataDir: string;
  readonly apiUrl: string;
  readonly sandboxUrl: string;
  readonly demo: Demo;
  readonly log: (line: string) => void;
}

/** Anna writes, sends a picture, gets a form and fills it in. */
async function writeAsCustomer(sandboxUrl: string, api: Api): Promise<void> {
  const says = (more: Body): Promise<unknown> =>
    call('POST', `${sandboxUrl}/_control/inbound`, {}, { phone_number_id: phoneNumberId, from: anna, ...more });
  const messages = `/conversations/${anna.phone}/messages/`;
  const received = (count: number): Promise<unknown> =>
    until('the messages of the sandbox', async () => {
      const found = await fetchMessages();
      return found.filter((message) => message.direction === 'inbound').length >= count || null;
    });
  async function fetchMessages(): Promise<readonly Answer[]> {
    try {
      return (await api('GET', messages)).results;
    } catch (error) {
      // Anna is not known before her first message is processed.
      if (/answered 404/.test(String(error))) return [];
      throw error;
    }
  }
  await says({ text: 'Hello, do you have garden shovels?' });
  await received(1);
  await says({ message: { type: 'image', image: { caption: 'Like this one' } } });
  await received(2);
  const form = await api('POST', '/messages/', {
    to: `+${anna.phone}`,
    phone_number_id: phoneNumberId,
    interactive: {
      type: 'flow',
      body: { text: 'When may we call you?' },
      action: {
        name: 'flow',
        parameters: { flow_message_version: '3', flow_id: flowId, flow_cta: 'Choose a time', flow_token: 'demo-1' },
      },
    },
  });
  const sent = await until('the delivery of the form', async () => {
    const message = await api('GET', `/messages/${form.id}/`);
    return message.message_id ? message : null;
  });
  await says({
    reply_to: sent.message_id,
    message: {
      type: 'interactive',
      interactive: {
        type: 'nfm_reply',
        nfm_reply: {
          name: 'flow',
          body: 'Sent',
          response_json: JSON.stringify({ flow_token: 'demo-1', day: 'Monday', time: '10:00' }),
        },
      },
    },
  });
  await received(3);
  // What the examples change, send now and discard.
  for (const [days, about] of [
    [30, 'Spring seeds'],
    [60, 'Summer bulbs'],
    [90, 'Autumn leaves'],
  ] as const)
    await api('POST', '/messages/', {
      to: `+${anna.phone}`,
      phone_number_id: phoneNumberId,
      template_id: '564750795574598',
      template_variables: {
        body: { 1: { source: 'static', value: about }, 2: { source: 'static', value: 'In the shop' } },
      },
      send_at: new Date(Date.now() + days * 86_400_000).toISOString(),
      if_customer_writes: 'send',
    });
}

/** A part of the content: what a start that was interrupted has made of it is not made again. */
export interface Part {
  readonly name: string;
  readonly make: () => Promise<unknown>;
}

/**
 * Makes one of everything in the demo workspace, by the public interfaces: the examples of the documentation name
 * these objects by their ids, so a fresh workspace answers every one of them.
 */
async function contentOf({ apiUrl: baseUrl, sandboxUrl, demo }: FillOptions): Promise<readonly Part[]> {
  const { email, password } = demo;
  const signedIn = await call('POST', `${baseUrl}/dashboard/session/`, {}, { email, password });
  const token = /token=([^;]+)/.exec(signedIn.headers.get('set-cookie') ?? '')?.[1] ?? '';
  const api: Api = async <T>(method: string, route: string, body?: Body) =>
    (await call<T>(method, `${baseUrl}/api/v1${route}`, { authorization: `Token ${token}` }, body)).json;
  // Of its own: the minute of the key that the table of `npm start` shows is for whoever reads it.
  const expires_at = new Date(Date.now() + 600_000).toISOString();
  const { api_key: key } = await api('POST', '/api-keys/', { name: 'Demo content', scopes: ['all'], expires_at });
  const byKey: Api = async <T>(method: string, route: string, body?: Body) =>
    (await call<T>(method, `${baseUrl}/api/v1${route}`, { authorization: `Bearer ${key}` }, body)).json;
  const post = (name: string, route: string, body: Body): Part => ({ name, make: () => api('POST', route, body) });
  const broadcast = {
    template_id: '564750795574598',
    phone_number_id: phoneNumberId,
    audience: { tags_any: ['newsletter'] },
    template_variables: {
      body: { 1: { source: 'static', value: 'Spring order' }, 2: { source: 'static', value: 'On its way' } },
    },
  };
  return [
    { name: 'customer', make: () => writeAsCustomer(sandboxUrl, api) },
    {
      name: 'contact',
      make: () => api('PATCH', `/contacts/${anna.phone}/`, { tags: ['newsletter'], company: 'Miller Gardens' }),
    },
    post('custom field', '/custom-fields/', { name: 'birthday', label: 'Birthday', field_type: 'date' }),
    post('canned reply', '/canned-replies/', {
      shortcut: 'hello',
      body: 'Hello {{name}}, thank you for writing to us. How can we help?',
      is_shared: true,
    }),
    post('note', `/conversations/${anna.phone}/notes/`, { body: 'She always buys two. Offer the set.' }),
    post('view', '/views/', { name: 'Newsletter', filters: { view: 'all', tag: 'newsletter' } }),
    {
      name: 'team inbox',
      make: async () => {
        const { member_id } = demo;
        const body = { name: 'Returns', description: 'Parcels that come back', member_ids: [member_id] };
        const { id } = await api('POST', '/team-inboxes/', body);
        const assignment = { mode: 'balanced', capacities: [{ member_id, capacity: 20 }] };
        await api('PATCH', `/team-inboxes/${id}/assignment/`, assignment);
      },
    },
    post('member', '/team-members/', { email: `support+${demo.workspace_id}@msgdesk.test`, name: 'Sam Support' }),
    post('colleague', '/team-members/', { email: `mara+${demo.workspace_id}@msgdesk.test`, name: 'Mara Lindgren' }),
    post('pipeline', '/ticket-pipelines/', {
      name: 'Returns',
      stages: [{ name: 'Announced' }, { name: 'Received' }, { name: 'Refunded', is_terminal: true }],
    }),
    { name: 'ticket', make: () => makeTicket(api) },
    post('calendar', '/calendars/', {
      name: 'Office hours',
      periods: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'].flatMap((weekday) => [
        { weekday, opens: '09:00', closes: '12:30' },
        { weekday, opens: '13:30', closes: '18:00' },
      ]),
    }),
    post('service level', '/sla-policies/', {
      name: 'Standard',
      first_response_minutes: 60,
      resolution_minutes: 1440,
    }),
    post('macro', '/macros/', {
      name: 'Thank and resolve',
      actions: [
        { type: 'add_tags', params: { tags: ['solved'] } },
        { type: 'set_status', params: { status: 'resolved' } },
      ],
    }),
    {
      name: 'rule',
      make: async () => {
        const actions = [{ type: 'set_priority', params: { priority: 'high' } }];
        const { id } = await api('POST', '/macros/', { name: 'Put on top', actions });
        await api('POST', '/rules/', {
          name: 'Nobody answered in ten minutes',
          description: 'Puts on top whom nobody has answered in ten minutes of office hours.',
          on: [{ event: 'message.received' }],
          conditions: { all: [{ field: 'waiting', op: 'is', value: true }] },
          wait: { minutes: 10, by: 'hours' },
          unless: [{ event: 'conversation.answered' }],
          macro_id: id,
        });
      },
    },
    // After the contact and the ticket that the examples name by their ids, before the last message that Anna gets.
    { name: 'shop', make: () => openShop(sandboxUrl, api, byKey) },
    { name: 'ratings', make: () => rateShop(sandboxUrl, api, byKey) },
    post('draft', '/broadcasts/', { name: 'Order news', ...broadcast }),
    {
      name: 'sale',
      make: async () => {
        const { id } = await api('POST', '/broadcasts/', {
          name: 'Garden week',
          template_id: '564750795574600',
          phone_number_id: phoneNumberId,
          audience: { tags_any: ['regular'] },
          template_variables: {
            body: {
              1: { source: 'field', field: 'name' },
              2: { source: 'static', value: '20%' },
            },
          },
        });
        await api('POST', `/broadcasts/${id}/confirm/`);
        // So that Anna's is the last message, as the examples show it.
        await until('the sale', async () => (await api('GET', `/broadcasts/${id}/`)).status === 'completed' || null);
      },
    },
    {
      name: 'broadcast',
      make: async () => {
        const sent = await api('POST', '/broadcasts/', { name: 'Welcome', ...broadcast });
        await api('POST', `/broadcasts/${sent.id}/confirm/`);
      },
    },
    { name: 'agent', make: () => askAsAgent(baseUrl, token, api, anna.phone) },
  ];
}

const people = shopCustomers.map((customer, index) => ({ ...customer, phone: `49151223344${10 + index}` }));

/** Whether a customer is told of the sale: who waits for an answer is not. */
const isRegular = ({ answer, state }: (typeof people)[number]): boolean =>
  answer !== undefined || state?.['conv_status'] === 'resolved';

/** The other customers of the shop write, and the team has begun with them. */
async function openShop(sandboxUrl: string, api: Api, byKey: Api): Promise<void> {
  for (const { phone, name, text, minutesAgo = 1 } of people)
    await call(
      'POST',
      `${sandboxUrl}/_control/inbound`,
      {},
      { phone_number_id: phoneNumberId, from: { phone, name }, text, timestamp: Date.now() - minutesAgo * 60_000 },
    );
  // One list instead of a look at each: a member may send 60 requests a minute, and so may a key.
  await until('the messages of the shop', async () => {
    const { results } = await byKey('GET', '/conversations/?page_size=100');
    return results.length > people.length || null;
  });
  for (const { phone, answer, state } of people) {
    if (answer) await api('POST', '/messages/', { to: `+${phone}`, body: answer });
    if (state) await api('PATCH', `/conversations/${phone}/`, state);
  }
  const team = (await byKey('GET', '/team-members/')).results;
  const idOf = (colleague: string): number | undefined => team.find(({ name }) => name.startsWith(colleague))?.id;
  const inboxes = await byKey<readonly Answer[]>('GET', '/team-inboxes/');
  for (const [colleague, inboxName] of [
    ['Mara', 'Returns'],
    ['Sam', 'Support'],
  ] as const) {
    const inbox = inboxes.find(({ name }) => name === inboxName)?.id;
    await api('PATCH', `/team-inboxes/${inbox}/`, { member_ids: [idOf('Demo'), idOf(colleague)] });
    await api('POST', '/bulk-changes/', {
      receiver_ids: people.filter((person) => person.colleague === colleague).map(({ phone }) => phone),
      change: { assigned_member: idOf(colleague), assigned_team_inbox: inbox },
    });
  }
  await api('POST', '/bulk-changes/', {
    receiver_ids: people.filter(isRegular).map(({ phone }) => phone),
    change: { add_tags: ['regular'] },
  });
  const [pipeline] = await byKey<readonly Answer[]>('GET', '/ticket-pipelines/');
  for (const { phone, colleague, ticket } of people)
    if (ticket)
      await byKey('POST', '/tickets/', {
        title: ticket.title,
        type: 'complaint',
        receiver_id: phone,
        stage: pipeline?.stages[ticket.stage ?? 0]?.id,
        priority: ticket.priority,
        assigned_to: colleague && idOf(colleague),
      });
}

/** Some of them are asked how satisfied they are, and answer. */
async function rateShop(sandboxUrl: string, api: Api, byKey: Api): Promise<void> {
  await api('PATCH', '/workspace/', { ask_satisfaction: true });
  for (const { phone, name, rating = -1 } of people.filter((person) => person.rating !== undefined)) {
    const resolved = await byKey('PATCH', `/conversations/${phone}/`, { conv_status: 'resolved' });
    const { id, body } = resolved.last_message;
    const button = body.interactive?.action?.buttons[rating];
    // Asked before, by a start that was interrupted.
    if (!button) continue;
    await until('the question', async () => (await byKey('GET', `/messages/${id}/`)).message_id || null);
    const message = { type: 'interactive', interactive: { type: 'button_reply', button_reply: button.reply } };
    const from = { phone, name };
    await call('POST', `${sandboxUrl}/_control/inbound`, {}, { phone_number_id: phoneNumberId, from, message });
  }
}

async function makeTicket(api: Api): Promise<void> {
  const ticket = await api('POST', '/tickets/', {
    title: 'Shovel arrived broken',
    receiver_id: anna.phone,
    type: 'complaint',
  });
  await api('POST', `/tickets/${ticket.id}/comments/`, { body: 'Anna sent a photo.' });
}

/** Makes the parts that are not done, in their order, and notes each when it is; throws where one fails. */
export async function makeParts(
  parts: readonly Part[],
  done: readonly string[],
  note: (done: readonly string[]) => void,
): Promise<void> {
  const made = [...done];
  for (const { name, make } of parts) {
    if (made.includes(name)) continue;
    // It was made, and the start ended before that was noted.
    const isThere = (error: unknown): boolean => error instanceof Error && error.message.includes('already exists');
    await make().catch((error: unknown) => {
      if (!isThere(error)) throw error;
    });
    made.push(name);
    note(made);
  }
}

/**
 * Fills the demo workspace, or goes on where an earlier start was interrupted. A start goes on without: nothing needs
 * the content but the examples.
 */
export async function fillDemo(options: FillOptions): Promise<void> {
  const { demo, dataDir, log } = options;
  const { filled = [] } = demo;
  if (filled === true) return;
  log(filled.length === 0 ? 'Filling the demo workspace' : 'Filling the demo workspace, where it was left');
  try {
    const note = (done: readonly string[]): void => writePrivate(demoFile(dataDir), { ...demo, filled: done });
    await makeParts(await contentOf(options), filled, note);
  } catch (error) {
    log(
      `The demo workspace is not complete, so some examples will not work: the next start goes on ` +
        `(${error instanceof Error ? error.message : String(error)})`,
    );
    return;
  }
  writePrivate(demoFile(dataDir), { ...demo, filled: true });
}
