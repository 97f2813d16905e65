import type { PlatformAccount } from './platform';
import { preparingRuntime } from './cluster';
import {
  allScopes,
  connectAccount,
  createKey,
  createMacro,
  createMember,
  createPipeline,
  createTicket,
  createWebhook,
  type Ctx,
  createWorkspace,
  drainInbox,
  hmacHex,
  receiveWebhook,
  syncAccount,
  systemCtx,
  type Runtime,
} from './seams';
import { Platform } from './platform';
import { realPause } from './realTime';
import { acting, party, World } from './world';
import { surround } from './stand-ins';
import { Temporal } from './temporal';

type Json = Record<string, unknown>;

/** A customer of a workspace. */
export interface Customer {
  readonly workspaceId: number;
  /** Empty where it is hidden. */
  readonly phone: string;
  /** The platform's id of one whose phone is hidden; empty for the others. */
  readonly user: string;
  /** The id of contact and conversation. */
  readonly id: number;
  readonly account: PlatformAccount;
}

/** A workspace with its tickets, which enter a stage that tells their customers. */
export interface Shop {
  readonly workspaceId: number;
  readonly account: PlatformAccount;
  readonly customers: readonly Customer[];
  readonly stages: readonly number[];
  readonly tickets: readonly number[];
  /** Tickets of the customer whose phone is hidden: alone, and with the first one. */
  readonly hiddenTickets: readonly number[];
  /** A macro that answers. */
  readonly macro: number;
  /** An API key of the workspace. */
  readonly apiKey: string;
}

/** What every run begins with. */
export interface Town {
  readonly accounts: readonly PlatformAccount[];
  readonly customers: readonly Customer[];
  readonly shops: readonly Shop[];
}

const workspaces = 2;
const customersEach = 4;
const ticketsEach = 2;

const template: Json = {
  id: '5600',
  name: 'ticket_update',
  language: 'en_US',
  category: 'UTILITY',
  status: 'APPROVED',
  components: [{ type: 'BODY', text: 'News {{1}}: {{2}}.', example: { body_text: [['a', 'b']] } }],
};

function accountOf(place: number): PlatformAccount {
  return {
    businessAccountId: `77${place}`,
    phoneNumberId: `88${place}`,
    displayNumber: `1555010010${place}`,
    secret: `secret-${place}`,
    templates: [{ ...template, id: `56${place}` }],
  };
}

/** Returns the id of the account's template, which takes two values. */
export function templateIdOf(account: PlatformAccount): string {
  return String(account.templates[0]?.['id']);
}

export function signed(account: PlatformAccount, payload: Json): { readonly raw: Buffer; readonly digest: string } {
  const raw = Buffer.from(JSON.stringify(payload));
  return { raw, digest: hmacHex(account.secret, raw) };
}

/** Does something of which calls to the platform are a part, outside of a run. */
async function prepared<T>(world: World, work: () => Promise<T>): Promise<T> {
  let isOver = false;
  const done = acting.run(party('prepare'), work).finally(() => (isOver = true));
  done.catch(() => undefined);
  while (!isOver) if (!(await world.step(() => Promise.resolve(Infinity)))) await realPause(1);
  return done;
}

/** Makes the workspaces, their accounts, and customers who have just written. */
export async function fillTown(databaseUrl: string): Promise<Town> {
  const accounts = Array.from({ length: workspaces }, (_unused, place) => accountOf(place));
  const runtime = preparingRuntime(databaseUrl);
  const world = new World(0, { printsTrace: false });
  const platform = new Platform(world, accounts);
  surround({ world, platform, temporal: new Temporal(world, {}) });
  const shops: Shop[] = [];
  for (const [place, account] of accounts.entries()) {
    const { id: workspaceId } = await createWorkspace(runtime, {
      name: `Shop ${place}`,
      plan: 'test',
      ticketing: true,
    });
    const ctx = systemCtx(runtime, workspaceId, 'prepare');
    const { id } = await connectAccount(ctx, {
      accountId: account.businessAccountId,
      accessToken: `token-${place}`,
      appSecret: account.secret,
      verifyToken: `verify-${place}`,
    });
    await prepared(world, () => syncAccount(ctx, id));
    const customers: Customer[] = [];
    for (let number = 0; number < customersEach; number += 1)
      customers.push(await meet(runtime, workspaceId, account, { phone: `49151${place}000${number}` }, platform));
    customers.push(await meet(runtime, workspaceId, account, { user: `DE.hidden${place}` }, platform));
    shops.push({ workspaceId, account, customers, ...(await furnish(ctx, account, customers)) });
  }
  await runtime.close();
  return { accounts, shops, customers: shops.flatMap((shop) => shop.customers) };
}

/** Makes a subscription to all events, and tickets beside a stage that tells their customers. */
async function furnish(
  systemContext: Ctx,
  account: PlatformAccount,
  customers: readonly Customer[],
): Promise<Pick<Shop, 'stages' | 'tickets' | 'hiddenTickets' | 'macro' | 'apiKey'>> {
  const ctx = { ...systemContext, scopes: new Set(allScopes) };
  await createWebhook(ctx, { url: 'https://receiver.example.com/', events: ['*'] });
  const { id: pipeline, stages } = await createPipeline(ctx, {
    name: 'Repairs',
    stages: [
      { name: 'New' },
      {
        name: 'Done',
        notify_template_id: templateIdOf(account),
        notify_template_variables: {
          body: { '1': { source: 'ticket', field: 'title' }, '2': { source: 'ticket', field: 'stage' } },
        },
      },
    ],
  });
  const hidden = customers.filter(({ user }) => user !== '');
  const concerned = [
    ...Array.from({ length: ticketsEach }, (_unused, number) => customers.slice(0, 2 + number)),
    hidden,
    [...hidden, ...customers.slice(0, 1)],
  ];
  const tickets: number[] = [];
  for (const [number, people] of concerned.entries()) {
    const ticket = await createTicket(ctx, {
      title: `#t${ctx.workspaceId}${number}`,
      pipeline,
      affected_contact_ids: people.map(({ id }) => id),
    });
    tickets.push(ticket.id);
  }
  const { id: macro } = await createMacro(ctx, {
    name: 'Thanks',
    description: '',
    actions: [
      { type: 'send_message', params: { text: 'Thank you' } },
      { type: 'set_status', params: { status: 'resolved' } },
    ],
  });
  const member = await createMember(ctx, {
    email: `owner${ctx.workspaceId}@desk.test`,
    role: 'owner',
  });
  const { apiKey } = await createKey(ctx, { memberId: member.id, name: 'Shop system', scopes: ['all'] });
  return {
    stages: stages.map(({ id }) => id),
    tickets: tickets.slice(0, ticketsEach),
    hiddenTickets: tickets.slice(ticketsEach),
    macro,
    apiKey,
  };
}

/** Lets a customer write for the first time. */
async function meet(
  runtime: Runtime,
  workspaceId: number,
  account: PlatformAccount,
  { phone = '', user = '' }: { readonly phone?: string; readonly user?: string },
  platform: Platform,
): Promise<Customer> {
  let stored: Promise<void> | undefined;
  platform.deliver = (_account, payload) => {
    const { raw, digest } = signed(account, payload);
    stored = receiveWebhook(runtime, raw, digest);
  };
  platform.customerWrites(account, phone === '' ? { user } : { phone }, 'Hello');
  await stored;
  while ((await drainInbox(runtime, 100)).taken > 0);
  const contact = await runtime.db.row<{ id: number }>(
    'SELECT id FROM contacts WHERE phone = $phone OR bsuid = $user',
    { phone, user },
  );
  if (!contact) throw new Error(`the customer ${phone}${user} did not arrive`);
  return { workspaceId, phone, user, id: contact.id, account };
}
