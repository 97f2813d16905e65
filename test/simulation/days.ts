import {
  confirmBroadcast,
  createBroadcast,
  createMessage,
  systemCtx,
  updateConversation,
  updateTicket,
  type Ctx,
} from './seams';
import type { Process } from './cluster';
import { noFaults } from './platform';
import { noteFault, type Scene } from './run';
import { templateIdOf, type Customer, type Shop } from './town';
import { acting, party } from './world';

/** A message that somebody asked the service to send. */
interface Asked {
  readonly mark: string;
  readonly customer: Customer;
  readonly atMs: number;
  /** `open`: no answer came, because the process died. */
  answer: 'open' | 'accepted' | 'refused';
}

/** A message that a customer wrote. */
interface Written {
  readonly wamid: string;
  readonly customer: Customer;
}

/** A snooze that was accepted. */
interface Snoozed {
  readonly customer: Customer;
  readonly untilMs: number;
}

/** How long things go on before they are left to come to their end. */
const shortestMs = 4_000;
const longestMs = 10 * 60_000;

/** What people, and fate, do in a run. */
export class Days {
  readonly asked: Asked[] = [];
  readonly written: Written[] = [];
  readonly snoozed: Snoozed[] = [];
  readonly broadcasts: { readonly mark: string; readonly shop: Shop }[] = [];
  /** Whether anything in this run could leave a call's outcome open. */
  private readonly fate = party('fate');
  private readonly endsMs: number;
  private marks = 0;

  constructor(private readonly scene: Scene) {
    const { world } = scene;
    this.endsMs = world.nowMs + world.chance.spread(shortestMs, longestMs);
  }

  isOver(): boolean {
    return this.scene.world.nowMs >= this.endsMs;
  }

  /** Starts the processes and plans what will happen. */
  begin(): void {
    const { world, cluster, platform } = this.scene;
    const { chance } = world;
    for (let count = 1 + chance.below(2); count > 0; count -= 1) cluster.start('api');
    for (let count = 1 + chance.below(3); count > 0; count -= 1) cluster.start('worker');
    const lengthMs = this.endsMs - world.nowMs;
    const at = (): number => chance.next() * lengthMs;
    const plan = (count: number, label: string, act: () => void): void => {
      for (let one = 0; one < count; one += 1) world.after(this.fate, at(), label, act);
    };
    // People come in bursts: that is when things meet.
    plan(2 + chance.below(5), 'people write', () => {
      const customer = this.customer();
      for (let count = 1 + chance.below(4); count > 0; count -= 1)
        this.reply(chance.hit(0.6) ? customer : this.customer());
    });
    plan(1 + chance.below(4), 'a customer writes', () => this.write(this.customer()));
    plan(chance.below(4), 'somebody snoozes', () => this.snooze(this.customer()));
    plan(chance.below(3), 'a ticket moves', () => this.move(chance.pick(this.scene.town.shops)));
    plan(chance.below(2), 'two turn out to be one', () => this.uncover(chance.pick(this.scene.town.shops)));
    plan(chance.below(2), 'a broadcast begins', () => this.broadcast(chance.pick(this.scene.town.shops)));
    // Where nothing goes wrong, nothing may be late or unknown either.
    this.scene.isCalm = chance.hit(0.2);
    if (this.scene.isCalm) return;
    this.planFaults(plan);
    for (const name of Object.keys(platform.faults) as (keyof typeof platform.faults)[])
      if (chance.hit(0.35)) platform.faults[name] = chance.spread(0.02, 0.5);
    if (chance.hit(0.5)) this.scene.receiver.fails = chance.spread(0.05, 0.9);
    if (chance.hit(0.4)) this.scene.temporal.losesResults = chance.spread(0.02, 0.3);
  }

  /** Ends all faults: from now on what was begun has to come to its end. */
  async coolDown(): Promise<void> {
    const { world, platform, temporal, receiver, cluster, statements } = this.scene;
    world.note('fate', 'ends all faults');
    platform.faults = { ...noFaults };
    temporal.losesResults = 0;
    receiver.fails = 0;
    statements.isAway = false;
    for (const one of [temporal.party, ...cluster.processes.map(({ party: each }) => each)]) one.asleepUntilMs = 0;
    if (cluster.live('api').length === 0) cluster.start('api');
    if (cluster.live('worker').length === 0) cluster.start('worker');
    world.end(this.fate);
    world.onBoundary = () => Promise.resolve();
    await world.settle();
  }

  private planFaults(plan: (count: number, label: string, act: () => void) => void): void {
    const { world, cluster, temporal, statements } = this.scene;
    const { chance } = world;
    const anyOf = (): Process | null => {
      const live = [...cluster.live('api'), ...cluster.live('worker')];
      return live.length === 0 ? null : chance.pick(live);
    };
    // Where something is going on: there it matters.
    const faults = [
      ...Array.from({ length: chance.below(4) }, () => 'dies' as const),
      ...Array.from({ length: chance.below(5) }, () => 'freezes' as const),
      ...Array.from({ length: chance.below(3) }, () => 'is cut off' as const),
    ];
    const hazard = 1 / chance.spread(20, 400);
    world.onBoundary = async (actor) => {
      const victim = cluster.processes.find((one) => one.party === actor);
      if (!victim || this.isOver() || faults.length === 0 || !chance.hit(hazard)) return;
      const [fault] = faults.splice(chance.below(faults.length), 1);
      world.note(actor.name, `${fault}`);
      if (fault === 'dies') {
        await cluster.kill(victim);
        world.after(this.fate, chance.spread(200, 20_000), 'a process starts', () => void cluster.start(victim.kind));
      } else if (fault === 'freezes') {
        this.scene.hasFrozen = true;
        actor.asleepUntilMs = world.nowMs + chance.spread(100, 60_000);
      } else await statements.cut(actor);
    };
    plan(chance.below(2), 'a clock jumps', () => {
      const victim = anyOf();
      if (victim) victim.party.skewMs = chance.pick([-1, 1]) * chance.spread(500, 3_600_000);
    });
    plan(chance.below(2), 'Temporal goes away', () => {
      temporal.party.asleepUntilMs = world.nowMs + chance.spread(1_000, 120_000);
    });
    plan(chance.below(2), 'a replica starts', () => void cluster.start(chance.pick(['api', 'worker'] as const)));
    plan(chance.hit(0.3) ? 1 : 0, 'the database goes away', () => {
      statements.isAway = true;
      world.park([], 'ends all connections', () => statements.cut(null));
      world.after(this.fate, chance.spread(500, 30_000), 'the database is back', () => (statements.isAway = false));
    });
  }

  private customer(): Customer {
    return this.scene.world.chance.pick(this.scene.town.customers);
  }

  /** Has a process do something; nothing where none serves. */
  private ask(
    { workspaceId }: { readonly workspaceId: number },
    what: string,
    work: (ctx: Ctx) => Promise<unknown>,
    done?: (isRefused: boolean) => void,
  ): boolean {
    const { world, cluster } = this.scene;
    const serving = cluster.awake('api');
    if (serving.length === 0) return false;
    const process = world.chance.pick(serving);
    world.note(process.party.name, `is asked: ${what}`);
    acting.run(process.party, () => {
      const ctx = systemCtx(process.runtime, workspaceId, what);
      work(ctx).then(
        () => world.park([process.party], `accepts: ${what}`, () => done?.(false)),
        (error: unknown) =>
          world.park([process.party], `refuses: ${what}`, () => {
            noteFault(this.scene, process, error);
            done?.(true);
          }),
      );
    });
    return true;
  }

  private reply(customer: Customer): void {
    this.marks += 1;
    const asked: Asked = { mark: `#m${this.marks}`, customer, atMs: this.scene.world.nowMs, answer: 'open' };
    const isAsked = this.ask(
      customer,
      `reply ${asked.mark} to ${customer.id}`,
      (ctx) => createMessage(ctx, { to: addressOf(customer), type: 'text', body: asked.mark }),
      (isRefused) => (asked.answer = isRefused ? 'refused' : 'accepted'),
    );
    if (isAsked) this.asked.push(asked);
  }

  private write(customer: Customer): void {
    const { platform } = this.scene;
    this.written.push({ wamid: platform.customerWrites(customer.account, fromOf(customer), 'A question'), customer });
  }

  private snooze(customer: Customer): void {
    const { world } = this.scene;
    const untilMs = Math.ceil((world.nowMs + world.chance.spread(2_000, 7_200_000)) / 1_000) * 1_000;
    this.ask(
      customer,
      `snooze ${customer.id}`,
      (ctx) =>
        updateConversation(ctx, customer.phone || customer.user, {
          conv_status: 'snoozed',
          snoozed_until: new Date(untilMs),
        }),
      (isRefused) => {
        if (!isRefused) this.snoozed.push({ customer, untilMs });
      },
    );
  }

  /** Lets a ticket go on to the other stage; entering the one that tells its customers is counted. */
  private move(shop: Shop): void {
    const { chance } = this.scene.world;
    const ticket = chance.pick(shop.tickets);
    const stage = chance.pick(shop.stages);
    this.ask(shop, `move ticket ${ticket} to ${stage}`, (ctx) => updateTicket(ctx, ticket, { stage }));
  }

  private broadcast(shop: Shop): void {
    this.marks += 1;
    const mark = `#b${this.marks}`;
    this.ask(
      shop,
      `broadcast ${mark}`,
      async (ctx) => {
        const { id } = await createBroadcast(ctx, {
          name: mark,
          template_id: templateIdOf(shop.account),
          audience: { all: true },
          template_variables: {
            body: { '1': { source: 'static', value: mark }, '2': { source: 'field', field: 'phone' } },
          },
        });
        await confirmBroadcast(ctx, id);
      },
      (isRefused) => {
        if (!isRefused) this.broadcasts.push({ mark, shop });
      },
    );
  }

  /** A customer whose phone was hidden writes with it: it is the one of another. */
  private uncover({ account, customers }: Shop): void {
    const [known] = customers;
    const hidden = customers.find(({ user }) => user !== '');
    if (!known || !hidden) return;
    const from = { phone: known.phone, user: hidden.user };
    const wamid = this.scene.platform.customerWrites(account, from, 'It is me');
    this.written.push({ wamid, customer: known });
  }
}

const fromOf = ({ phone, user }: Customer): { phone?: string; user?: string } => (phone === '' ? { user } : { phone });
const addressOf = ({ phone, user }: Customer): string => (phone === '' ? user : `+${phone}`);
