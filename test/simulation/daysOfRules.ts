import type { Scene } from './run';
import { setBrake, updateConversation, updateRule, type Ctx } from './seams';
import type { Customer, Shop } from './town';
import type { Party } from './world';

/** A rule that waits, and what it starts by. */
export interface WaitingRule {
  readonly id: number;
  readonly event: string;
}

/** A change of what a rule may do, or (null) all rules of a workspace. */
interface Switched {
  readonly shop: Shop;
  readonly rule: number | null;
  /** Whether it does nothing from then on; else it goes on. */
  readonly stops: boolean;
  readonly atMs: number;
  answer: 'open' | 'accepted' | 'refused';
  answeredMs: number;
}

/** How people reach the service. */
interface Ways {
  readonly people: Party;
  ask(
    shop: { readonly workspaceId: number },
    what: string,
    work: (ctx: Ctx) => Promise<unknown>,
    done?: (isRefused: boolean) => void,
  ): boolean;
  write(customer: Customer): void;
  reply(customer: Customer): void;
  /** Two customers of a workspace turn out to be one person. */
  uncover(shop: Shop): void;
}

/** How long a rule is paused that has nothing to say any more when it goes on: an hour after its moment is too late. */
const longPauseMs = [61 * 60_000, 75 * 60_000] as const;
/** Whoever judges has locked what waits on a conversation. */
const judges = /^SELECT \*, coalesce\(look_at/;
/** By then a rule of one time, which waits a minute, was applied. */
const appliedMs = 65_000;

/** What people do with rules, and as they begin, end their waits and act. */
export class RuleHands {
  readonly switches: Switched[] = [];
  /** The rules of each workspace that wait. */
  rules: ReadonlyMap<number, readonly WaitingRule[]> = new Map();
  private marks = 0;

  constructor(
    private readonly scene: Scene,
    private readonly ways: Ways,
  ) {}

  /** Switches a rule off, pauses it, or all of them, and lets it go on after a while; or changes how long it waits. */
  switchRule(shop: Shop): void {
    const { world } = this.scene;
    const { chance } = world;
    const { id: rule } = chance.pick(this.rules.get(shop.workspaceId) ?? []);
    const what = chance.pick(['off', 'paused', 'changed', 'braked'] as const);
    if (what === 'changed') {
      const wait = { minutes: 1 + chance.below(3), by: 'clock' } as const;
      this.ways.ask(shop, `rule ${rule} waits ${wait.minutes} minutes`, (ctx) => updateRule(ctx, rule, { wait }));
      return;
    }
    const whom = what === 'braked' ? null : rule;
    this.stop(shop, whom, what);
    this.after(chance.spread(50, 90_000), 'a rule goes on', () => this.letGoOn(shop, whom));
  }

  letGoOn(shop: Shop, rule: number | null): void {
    this.note(shop, rule, false, (ctx) =>
      rule === null ? setBrake(ctx, false, '') : updateRule(ctx, rule, { state: 'on' }),
    );
  }

  /** Lets something start a rule in the moment in which it is switched off, for a short while. */
  flicker(shop: Shop, customer: Customer): void {
    const { chance } = this.scene.world;
    const isAnswer = chance.hit(0.6);
    const event = isAnswer ? 'conversation.answered' : 'message.received';
    const { id } = chance.pick((this.rules.get(shop.workspaceId) ?? []).filter((rule) => rule.event === event));
    this.after(chance.spread(1, isAnswer ? 15 : 150), 'somebody switches it off', () => this.stop(shop, id, 'off'));
    this.after(chance.spread(100, 20_000), 'it is on again', () => this.letGoOn(shop, id));
    if (isAnswer) this.ways.reply(customer);
    else this.ways.write(customer);
  }

  /** Lets rules start by what a customer writes, and stand still as the next of their waits ends. */
  halt(shop: Shop, customer: Customer): void {
    this.ways.write(customer);
    const { chance } = this.scene.world;
    this.after(chance.spread(2_000, 40_000), 'rules are to stand still', () =>
      this.meetWait(shop, ['braked', 'paused']),
    );
  }

  /** Lets the same rules wait on two customers, who turn out to be one person meanwhile. */
  unite(shop: Shop, both: readonly Customer[]): void {
    const { chance } = this.scene.world;
    const [first, second] = chance.hit(0.5) ? both : both.toReversed();
    if (!first || !second) return;
    this.ways.write(first);
    this.after(chance.spread(500, 20_000), 'the other one writes', () => this.ways.write(second));
    this.after(chance.spread(21_000, 50_000), 'both are one', () => this.ways.uncover(shop));
  }

  /** Lets something come just as the next wait of a workspace ends, whose moment is read where it stands. */
  meetWait(shop: Shop, what: readonly ('braked' | 'paused' | 'writes')[] = ['braked', 'paused', 'writes']): void {
    const { world, statements } = this.scene;
    const { chance } = world;
    world.park([this.ways.people], 'looks for the next wait', async () => {
      const { rows } = await statements.monitor.query<{ rule: string; conversation: string; ms: string }>(
        `SELECT rule_id AS rule, conversation_id AS conversation, extract(epoch FROM look_at) * 1000 AS ms
         FROM rule_runs WHERE workspace_id = $1 AND look_at > to_timestamp($2) ORDER BY look_at, id LIMIT 1`,
        [shop.workspaceId, world.nowMs / 1_000 + 1],
      );
      const [next] = rows;
      if (!next) return;
      const inMs = Number(next.ms) - world.nowMs;
      const chosen = chance.pick(what);
      const customer = shop.customers.find(({ id }) => id === Number(next.conversation));
      if (chosen === 'writes') {
        if (customer)
          this.after(inMs - chance.spread(5, 300), 'the customer writes before', () => this.ways.write(customer));
        return;
      }
      const whom = chosen === 'braked' ? null : Number(next.rule);
      this.after(inMs - chance.spread(500, 8_000), 'somebody stops it before', () => this.stop(shop, whom, chosen));
      // While it is judged, or later.
      const goesOnMs = chance.hit(0.6) ? chance.spread(0.5, 40) : chance.spread(100, 20_000);
      this.after(inMs + goesOnMs, 'it goes on', () => this.letGoOn(shop, whom));
    });
  }

  /** Lets a colleague change what rules start by and change themselves. */
  changeByHand(customer: Customer): void {
    const { chance } = this.scene.world;
    this.marks += 1;
    const tags = [`by hand ${this.marks}`];
    this.ways.ask(customer, `tag ${customer.id}`, (ctx) => updateConversation(ctx, handleOf(customer), { tags }));
    const priority = chance.pick(['low', 'normal'] as const);
    this.after(chance.spread(300, 5_000), 'ranks by hand', () =>
      this.ways.ask(customer, `rank ${customer.id}`, (ctx) =>
        updateConversation(ctx, handleOf(customer), { priority }),
      ),
    );
  }

  /** Lets a customer write, and come back when a colleague has resolved the conversation. */
  comeBack(customer: Customer): void {
    const { chance } = this.scene.world;
    this.ways.write(customer);
    const resolvesMs = appliedMs + chance.spread(10, 20_000);
    this.after(resolvesMs, 'resolves', () =>
      this.ways.ask(customer, `resolve ${customer.id}`, (ctx) =>
        updateConversation(ctx, handleOf(customer), { conv_status: 'resolved' }),
      ),
    );
    this.after(resolvesMs + chance.spread(200, 10_000), 'comes back', () => this.ways.write(customer));
  }

  /** Lets a rule go on when it is too late to speak, and be switched off as that is judged. */
  pauseLong(shop: Shop, customer: Customer): void {
    const { chance } = this.scene.world;
    this.ways.write(customer);
    const { id } = chance.pick(
      (this.rules.get(shop.workspaceId) ?? []).filter(({ event }) => event === 'message.received'),
    );
    this.after(chance.spread(5_000, 50_000), 'a rule is paused', () => this.stop(shop, id, 'paused'));
    const lateMs = 60_000 + chance.spread(...longPauseMs);
    this.after(lateMs, 'it goes on', () => {
      this.letGoOn(shop, id);
      this.scene.world.meet(this.ways.people, judges, () => {
        this.stop(shop, id, 'off');
        this.after(chance.spread(1_000, 20_000), 'it is on again', () => this.letGoOn(shop, id));
      });
    });
  }

  private after(inMs: number, label: string, act: () => void): void {
    this.scene.world.after(this.ways.people, inMs, label, act);
  }

  private stop(shop: Shop, rule: number | null, how: 'off' | 'paused' | 'braked'): void {
    this.note(shop, rule, true, (ctx) =>
      rule === null || how === 'braked' ? setBrake(ctx, true, 'Tried') : updateRule(ctx, rule, { state: how }),
    );
  }

  private note(shop: Shop, rule: number | null, stops: boolean, work: (ctx: Ctx) => Promise<unknown>): void {
    const { world } = this.scene;
    const switched: Switched = { shop, rule, stops, atMs: world.nowMs, answer: 'open', answeredMs: Infinity };
    const isAsked = this.ways.ask(shop, `${stops ? 'stop' : 'go on'}: rule ${rule ?? 'of all'}`, work, (isRefused) =>
      Object.assign(switched, { answer: isRefused ? 'refused' : 'accepted', answeredMs: world.nowMs }),
    );
    if (isAsked) this.switches.push(switched);
  }
}

const handleOf = ({ phone, user }: Customer): string => phone || user;
