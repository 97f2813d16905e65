import {
  AppError,
  changeLater,
  confirmBroadcast,
  createBroadcast,
  allScopes,
  createMessage,
  discardLater,
  runMacro,
  holdSending,
  resumeSending,
  sendNow,
  syncWorkspace,
  systemCtx,
  updateConversation,
  updateTicket,
  type Ctx,
} from './seams';
import { RuleHands } from './daysOfRules';
import { Fate } from './fate';
import { plantIntents } from './ofIntents';
import { plantHistories } from './ofMerges';
import { plantRules } from './ofRules';
import { post, type HttpAnswer } from './http';
import { noteFault, type Scene } from './run';
import { watchSteps } from './steps';
import { rehearsesMs, rehearseWeek, weekWaitsMs, type Rehearsed } from './week';
import { templateIdOf, type Customer, type Shop } from './town';
import { themes, type Act, type Theme, type ThemeName } from './themes';
import { acting, party } from './world';

/** A message that somebody asked the service to send. */
interface Asked {
  readonly mark: string;
  readonly customer: Customer;
  readonly atMs: number;
  /** `open`: no answer came, because the process died. */
  answer: 'open' | 'accepted' | 'refused';
  answeredMs: number;
}

/** A message that is to be sent later. */
interface Later {
  readonly mark: string;
  /** 0 where no answer said it. */
  id: number;
  /** Whether somebody has asked to discard it. */
  discard: 'no' | 'asked' | 'accepted';
}

/** What was refused because something was not found by its id. */
interface NotFound {
  readonly what: string;
  /** The message for later that it was about; undefined: a contact or a conversation. */
  readonly messageId: number | undefined;
  readonly atMs: number;
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

/** A hold of a workspace's sending. */
interface Held {
  readonly shop: Shop;
  /** When it was there, and when it was asked to be lifted. */
  fromMs: number;
  untilMs: number;
  isLifted: boolean;
}

/** A stop by the platform. */
interface Stopped {
  readonly shop: Shop;
  /** Whether the operator has to say that it is over. */
  readonly isOperators: boolean;
  isLifted: boolean;
}

/** A macro that was run; `name` is its request's id. */
interface Ran {
  readonly name: string;
  answer: 'open' | 'accepted' | 'refused';
}

/** What was asked for with an Idempotency-Key, and the ids of the answers; the negative status of a refusal. */
interface KeyedAsked {
  readonly asked: Asked;
  readonly ids: number[];
}

/** Of a stop that lasts when all faults have ended. */
const longestStopMs = 900_000;
/** By then each call that was made before a stop ended has its answer, and that is written. */
const lateAnswersMs = 150_000;
const retrySyncMs = 5_000;
/** By then what was asked for while there were faults has its end. */
const goOnMs = 120_000;
/** When a snooze is thought of anew where nothing is to meet. */
const halfHourMs = 30 * 60_000;
/** How long the rules of a run wait. */
const waitsMs = [60_000, 120_000] as const;

/** What people do in a run. */
export class Days {
  readonly asked: Asked[] = [];
  readonly written: Written[] = [];
  readonly snoozed: Snoozed[] = [];
  readonly holds: Held[] = [];
  readonly keyed: KeyedAsked[] = [];
  readonly ran: Ran[] = [];
  readonly notFound: NotFound[] = [];
  readonly broadcasts: { readonly mark: string; readonly shop: Shop }[] = [];
  readonly stops: Stopped[] = [];
  readonly later: Later[] = [];
  /** Messages that somebody has asked to send before their moment. */
  readonly sentByHand = new Set<number>();
  /** What they do with rules. */
  readonly hands: RuleHands;
  readonly rehearsed: Rehearsed[] = [];
  private readonly people = party('people');
  /** Who looks after the service, also when all faults have ended. */
  private readonly operator = party('operator');
  private readonly theme: Theme;
  private readonly fate: Fate;
  private readonly endsMs: number;
  /** Whom things happen to. */
  private readonly customers: readonly Customer[];
  /** The workspace of those two who are one person, where the run is about them. */
  private readonly shopOfBoth: Shop | null;
  private marks = 0;

  constructor(
    private readonly scene: Scene,
    theme: ThemeName,
  ) {
    const { world, town } = scene;
    const { chance } = world;
    this.theme = themes[theme];
    const lengthMs = chance.spread(...this.theme.lengthMs);
    this.endsMs = world.nowMs + lengthMs;
    this.fate = new Fate(scene, lengthMs, this.theme);
    this.hands = new RuleHands(scene, {
      people: this.people,
      ask: (...asked) => this.ask(...asked),
      write: (customer) => this.write(customer),
      reply: (customer) => this.reply(customer),
      uncover: (shop) => this.uncover(shop),
    });
    const from = chance.below(town.customers.length);
    const others = [...town.customers.slice(from), ...town.customers.slice(0, from)];
    const [some] = others;
    const shop = town.shops.find(({ workspaceId }) => workspaceId === some?.workspaceId) ?? null;
    this.shopOfBoth = this.theme.areOne ? shop : null;
    this.customers = this.shopOfBoth ? pairOf(this.shopOfBoth) : others.slice(0, this.theme.customers);
  }

  /** Gives those whom the run is about what they have before it begins. */
  async prepare(): Promise<void> {
    const { statements, town } = this.scene;
    if (this.theme.haveLongHistories) await plantHistories(statements.monitor, this.customers);
    if (this.hasBacklog) await plantIntents(statements.monitor, town);
    const { acts, hasRules, rehearses }: Theme = this.theme;
    if (hasRules || acts.schedules) await watchSteps(statements.monitor);
    if (hasRules) this.hands.rules = await plantRules(statements.monitor, town.shops, rehearses === true);
  }

  /** Whether intents wait from the beginning on. */
  get hasBacklog(): boolean {
    return this.theme.hasBacklog === true;
  }

  isOver(): boolean {
    return this.scene.world.nowMs >= this.endsMs;
  }

  /** Starts the processes and plans what will happen. */
  begin(): void {
    const { world, cluster, town } = this.scene;
    const { chance } = world;
    const { apis, workers, acts, burst, hasOlder }: Theme = this.theme;
    const between = ([from, to]: readonly [number, number]): number => from + chance.below(to - from + 1);
    for (let count = between(apis); count > 0; count -= 1) cluster.start('api');
    for (let count = between(workers); count > 0; count -= 1) cluster.start('worker', { isOlder: hasOlder === true });
    // The operator's: it comes whatever happens to the others.
    if (hasOlder)
      world.after(this.operator, chance.spread(100, this.endsMs - world.nowMs), 'a newer worker comes', () =>
        cluster.start('worker'),
      );
    this.fate.begin();
    if (this.theme.rehearses)
      for (const shop of town.shops)
        world.after(this.operator, rehearsesMs, 'rehearses', () =>
          this.ask(shop, 'rehearse its rules', async (ctx) => this.rehearsed.push(...(await rehearseWeek(ctx)))),
        );
    const doing: Readonly<Record<Act, () => void>> = {
      replies: () => {
        const customer = this.customer();
        for (let count = 1 + chance.below(burst); count > 0; count -= 1)
          this.reply(chance.hit(0.7) ? customer : this.customer());
      },
      writes: () => {
        for (let count = 1 + chance.below(burst); count > 0; count -= 1) this.write(this.customer());
      },
      // All at once, and then one by one, beside others.
      rushes: () => {
        const customer = this.customer();
        this.write(customer, 15 + chance.below(26));
        for (let count = 1 + chance.below(burst); count > 0; count -= 1)
          this.write(chance.hit(0.5) ? customer : chance.pick(town.customers));
      },
      // As people do: one short message after the other, some of which come together.
      chats: () => this.chat(this.customer(), 4 + chance.below(9)),
      snoozes: () => {
        const customer = this.customer();
        for (let count = 1 + chance.below(burst); count > 0; count -= 1) this.snooze(customer);
      },
      moves: () => this.move(this.shopOfBoth ?? chance.pick(town.shops)),
      uncovers: () => this.uncover(this.shopOfBoth ?? chance.pick(town.shops)),
      broadcasts: () => this.broadcast(this.shopOfBoth ?? chance.pick(town.shops)),
      macros: () => {
        for (let count = 1 + chance.below(burst); count > 0; count -= 1) this.runMacro(this.customer());
      },
      // The one of somebody whom things happen to.
      holds: () => this.hold(this.shopOf(this.customer())),
      stops: () => this.stop(chance.pick(town.shops)),
      questions: () => {
        for (let count = 1 + chance.below(burst); count > 0; count -= 1) this.question(this.customer());
      },
      switches: () => this.hands.switchRule(this.shopOf(this.customer())),
      flickers: () => {
        const customer = this.customer();
        this.hands.flicker(this.shopOf(customer), customer);
      },
      meetings: () => this.hands.meetWait(this.shopOf(this.customer())),
      changes: () => this.hands.changeByHand(this.customer()),
      returns: () => this.hands.comeBack(this.customer()),
      longPauses: () => {
        const customer = this.customer();
        this.hands.pauseLong(this.shopOf(customer), customer);
      },
      halts: () => {
        const customer = this.customer();
        this.hands.halt(this.shopOf(customer), customer);
      },
      unions: () => {
        const shop = this.shopOfBoth ?? chance.pick(town.shops);
        this.hands.unite(shop, pairOf(shop));
      },
      robots: () => this.letRobotsTalk(),
      schedules: () => {
        const customer = this.customer();
        for (let count = 1 + chance.below(burst); count > 0; count -= 1) this.schedule(customer);
      },
      keyed: () => {
        for (let count = 1 + chance.below(burst); count > 0; count -= 1) this.replyByKey(this.customer());
      },
    };
    for (const [act, range] of Object.entries(acts) as [Act, readonly [number, number]][])
      for (let count = between(range); count > 0; count -= 1) world.after(this.people, this.moment(), act, doing[act]);
  }

  /** Returns when something happens: half of it soon, since things meet where they are close together. */
  private moment(): number {
    const { chance, nowMs } = this.scene.world;
    const lengthMs = this.endsMs - nowMs;
    // Not before what the rehearsal looks at.
    if (this.theme.rehearses) return 5_000 + chance.next() * (lengthMs - 10_000);
    return chance.hit(0.5) ? chance.next() * lengthMs : chance.spread(1, lengthMs);
  }

  /** Ends all faults, and lets people do nothing more. */
  async coolDown(): Promise<void> {
    this.scene.world.end(this.people);
    await this.fate.end();
    this.scene.cluster.stopOlder();
    for (const held of this.holds) if (!held.isLifted) this.resume(held);
    for (const stopped of this.stops) if (!stopped.isLifted) this.liftLater(stopped, longestStopMs);
    // Twice: what was asked before all faults had ended may come in between.
    const stopped = this.hands.switches.filter(({ stops }) => stops);
    for (const waitMs of stopped.length > 0 ? [1_000, goOnMs] : [])
      this.scene.world.after(this.operator, waitMs, 'rules go on', () => {
        for (const { shop, rule } of stopped) this.hands.letGoOn(shop, rule);
      });
  }

  private customer(): Customer {
    return this.scene.world.chance.pick(this.customers);
  }

  private shopOf({ workspaceId }: Customer): Shop {
    const shop = this.scene.town.shops.find((one) => one.workspaceId === workspaceId);
    if (!shop) throw new Error(`there is no workspace ${workspaceId}`);
    return shop;
  }

  /** Has a process do something, to a message for later where one is named; nothing where none serves. */
  private ask(
    { workspaceId, messageId }: { readonly workspaceId: number; readonly messageId?: number },
    what: string,
    work: (ctx: Ctx) => Promise<unknown>,
    done?: (isRefused: boolean) => void,
  ): boolean {
    const { world, cluster } = this.scene;
    const serving = cluster.awake('api');
    if (serving.length === 0) return false;
    const process = world.chance.pick(serving);
    const beganMs = world.nowMs;
    world.note(process.party.name, `is asked: ${what}`);
    const ctx = systemCtx(process.runtime, workspaceId, what);
    acting.run(process.party, () => {
      cluster
        .serve(process, () => work(ctx))
        .then(
          () => world.park([process.party], `accepts: ${what}`, () => done?.(false)),
          (error: unknown) =>
            world.park([process.party], `refuses: ${what}`, () => {
              noteFault(this.scene, process, error, beganMs);
              // A fault of the service says nothing of what was done: whoever asked has no answer.
              if (!(error instanceof AppError)) return;
              const { fields = {} } = error.details;
              if ('chat_id' in fields) this.notFound.push({ what, messageId: undefined, atMs: world.nowMs });
              else if (error.code === 'not_found') this.notFound.push({ what, messageId, atMs: world.nowMs });
              done?.(true);
            }),
        );
    });
    return true;
  }

  private reply(customer: Customer): void {
    this.marks += 1;
    const asked: Asked = {
      mark: `#m${this.marks}`,
      customer,
      atMs: this.scene.world.nowMs,
      answer: 'open',
      answeredMs: Infinity,
    };
    const isAsked = this.ask(
      customer,
      `reply ${asked.mark} to ${customer.id}`,
      (ctx) => createMessage(ctx, { to: addressOf(customer), type: 'text', body: asked.mark }),
      (isRefused) =>
        Object.assign(asked, { answer: isRefused ? 'refused' : 'accepted', answeredMs: this.scene.world.nowMs }),
    );
    if (isAsked) this.asked.push(asked);
  }

  /** A customer's system sends with an Idempotency-Key, and again until it has an answer. */
  private replyByKey(customer: Customer): void {
    const { world, cluster } = this.scene;
    const { chance } = world;
    const shop = this.shopOf(customer);
    this.marks += 1;
    const asked: Asked = { mark: `#m${this.marks}`, customer, atMs: world.nowMs, answer: 'open', answeredMs: Infinity };
    const known: KeyedAsked = { asked, ids: [] };
    this.keyed.push(known);
    const headers = { authorization: `Bearer ${shop.apiKey}`, 'idempotency-key': asked.mark };
    const body = { to: addressOf(customer), type: 'text', body: asked.mark };
    const attempt = (): void => {
      let isOver = false;
      const again = (waitMs: number): void =>
        void world.after(this.people, waitMs, `asks again for ${asked.mark}`, attempt);
      const serving = cluster.awake('api');
      if (serving.length === 0) return again(1_000);
      const process = chance.pick(serving);
      // Nobody waits for ever: the answer may be lost, or its process.
      const limit = world.after(this.people, chance.spread(50, 30_000), `waits no longer for ${asked.mark}`, () => {
        isOver = true;
        again(chance.spread(1, 5_000));
      });
      world.park([process.party], `is asked: ${asked.mark} by key`, () => {
        const answered = cluster.serve(process, () => post(process.handler(), '/api/v1/messages/', headers, body));
        void answered.then((answer) =>
          world.park([process.party, this.people], `answers ${asked.mark} with ${answer.status}`, () => {
            if (isOver) return;
            world.cancel(limit);
            if (answer.status === 409 || answer.status >= 500) return again(chance.spread(100, 5_000));
            this.noteKeyed(known, answer);
            // Some ask again though they have their answer.
            if (chance.hit(0.3)) again(chance.spread(1, 5_000));
          }),
        );
      });
    };
    attempt();
  }

  private noteKeyed({ asked, ids }: KeyedAsked, { status, body }: HttpAnswer): void {
    Object.assign(asked, { answer: status === 201 ? 'accepted' : 'refused', answeredMs: this.scene.world.nowMs });
    ids.push(status === 201 ? Number((body as { id: number }).id) : -status);
  }

  private runMacro(customer: Customer): void {
    const shop = this.shopOf(customer);
    this.marks += 1;
    const ran: Ran = { name: `macro ${this.marks} on ${customer.id}`, answer: 'open' };
    const isAsked = this.ask(
      shop,
      ran.name,
      (ctx) => runMacro({ ...ctx, scopes: new Set(allScopes) }, shop.macro, { chat_id: customer.id }),
      (isRefused) => (ran.answer = isRefused ? 'refused' : 'accepted'),
    );
    if (isAsked) this.ran.push(ran);
  }

  private write(customer: Customer, count = 1): void {
    const { platform } = this.scene;
    for (const wamid of platform.customerWrites(customer.account, fromOf(customer), 'A question', count))
      this.written.push({ wamid, customer });
  }

  private chat(customer: Customer, count: number): void {
    const { world } = this.scene;
    this.write(customer, 1 + world.chance.below(3));
    if (count > 1)
      world.after(this.people, world.chance.spread(20, 3_000), 'writes on', () => this.chat(customer, count - 1));
  }

  /** A customer writes; somebody comes between where the wait of a rule ends, as chance has it. */
  private question(customer: Customer): void {
    const { chance } = this.scene.world;
    const { rehearses } = this.theme;
    this.write(customer);
    if (chance.hit(0.7))
      this.around(chance.pick(rehearses ? weekWaitsMs : waitsMs), () =>
        chance.pick([
          () => this.write(customer),
          () => this.reply(customer),
          ...(rehearses ? [] : [() => this.hands.switchRule(this.shopOf(customer))]),
        ])(),
      );
  }

  /** Has something happen just before or after a moment. */
  private around(inMs: number, act: () => void): void {
    const { world } = this.scene;
    const offMs = world.chance.spread(1, 2_000) * (world.chance.hit(0.6) ? -1 : 1);
    world.after(this.people, inMs + offMs, 'somebody comes between', act);
  }

  /** The robot of one workspace says a word to that of the other. */
  private letRobotsTalk(): void {
    const { world, town, platform } = this.scene;
    const shop = world.chance.pick(town.shops);
    const other = town.shops.find((one) => one !== shop) ?? shop;
    platform.customerWrites(shop.account, { phone: other.account.displayNumber }, 'Hello');
  }

  /** Has a message sent later; somebody thinks of it anew, or the customer writes, most of the time at its moment. */
  private schedule(customer: Customer): void {
    const { world } = this.scene;
    const { chance } = world;
    this.marks += 1;
    const later: Later = { mark: `#l${this.marks}`, id: 0, discard: 'no' };
    this.later.push(later);
    // Half of them outlast all faults.
    const [fromMs, toMs] = chance.hit(0.5) ? ([1_000, 60_000] as const) : ([180_000, 7_200_000] as const);
    const sendAt = new Date(Math.ceil(world.nowMs + chance.spread(fromMs, toMs)));
    const policy = chance.pick(['hold', 'hold', 'send', 'cancel'] as const);
    this.ask(customer, `send ${later.mark} later`, async (ctx) => {
      const given = { send_at: sendAt, if_customer_writes: policy };
      const message = await createMessage(ctx, { to: addressOf(customer), type: 'text', body: later.mark, ...given });
      later.id = Number(message['id']);
      if (chance.hit(0.7)) this.around(sendAt.getTime() - world.nowMs, () => this.thinkAnew(customer, later));
    });
  }

  private thinkAnew(customer: Customer, later: Later): void {
    const { world } = this.scene;
    const { chance } = world;
    const { id, mark } = later;
    const asked = { workspaceId: customer.workspaceId, messageId: id };
    const what = chance.pick(['write', 'reply', 'discard', 'send', 'move', 'wait'] as const);
    if (what === 'write') this.write(customer);
    else if (what === 'reply') this.reply(customer);
    else if (what === 'discard') {
      later.discard = 'asked';
      this.ask(
        asked,
        `discard ${mark}`,
        (ctx) => discardLater(ctx, id),
        (isRefused) => (later.discard = isRefused ? 'no' : 'accepted'),
      );
    } else if (what === 'send') {
      this.sentByHand.add(id);
      this.ask(asked, `send ${mark} now`, (ctx) => sendNow(ctx, id));
    } else {
      const given = { send_at: new Date(Math.ceil(world.nowMs + chance.spread(500, 60_000))) };
      const changes = what === 'move' ? given : { ...given, message_status: 'scheduled' as const };
      this.ask(asked, `${what} ${mark}`, (ctx) => changeLater(ctx, id, changes));
    }
  }

  private snooze(customer: Customer): void {
    const { world } = this.scene;
    // Half of them outlast all faults: whatever else would wake them shows that their timer was lost.
    const [fromMs, toMs] = world.chance.hit(0.5) ? ([1_000, 60_000] as const) : ([180_000, 7_200_000] as const);
    const untilMs = Math.ceil((world.nowMs + world.chance.spread(fromMs, toMs)) / 1_000) * 1_000;
    this.ask(
      customer,
      `snooze ${customer.id}`,
      (ctx) =>
        updateConversation(ctx, customer.phone || customer.user, {
          conv_status: 'snoozed',
          snoozed_until: new Date(untilMs),
        }),
      (isRefused) => {
        if (isRefused) return;
        this.snoozed.push({ customer, untilMs });
        // Some think of it anew just when it ends: its timer asks the row at that moment.
        const aroundMs = world.chance.spread(1, 500) - (world.chance.hit(0.5) ? world.chance.spread(10, 100) : 0);
        const endsInMs = untilMs - world.nowMs + (this.theme.rehearses ? halfHourMs : aroundMs);
        if (world.chance.hit(0.6)) world.after(this.people, endsInMs, 'snoozes it again', () => this.snooze(customer));
      },
    );
  }

  /** Lets a ticket go on to the other stage; entering the one that tells its customers is counted. */
  private move(shop: Shop): void {
    const { chance } = this.scene.world;
    const ticket = chance.pick(this.shopOfBoth ? shop.hiddenTickets : shop.tickets);
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

  /** The operator holds what a workspace sends, and lets it go on after a while. */
  private hold(shop: Shop): void {
    // Holds of one scope are one: who lifts it lifts them all.
    if (this.holds.some((held) => held.shop === shop)) return;
    const held: Held = { shop, fromMs: Infinity, untilMs: Infinity, isLifted: false };
    const { world } = this.scene;
    this.ask(
      shop,
      'hold',
      ({ runtime, workspaceId }) => holdSending(runtime, { workspaceId, phoneNumberPk: null }, 'held'),
      (isRefused) => {
        if (!isRefused) held.fromMs = world.nowMs;
      },
    );
    this.holds.push(held);
    // Half of them last until all faults have ended.
    if (world.chance.hit(0.5))
      world.after(this.people, world.chance.spread(200, this.endsMs - world.nowMs + 1_000), 'the hold ends', () =>
        this.resume(held),
      );
  }

  private resume(held: Held): void {
    const isAsked = this.ask(
      held.shop,
      'resume',
      ({ runtime, workspaceId }) => resumeSending(runtime, { workspaceId, phoneNumberPk: null }, {}),
      (isRefused) => (held.isLifted = !isRefused),
    );
    if (isAsked) held.untilMs = Math.min(held.untilMs, this.scene.world.nowMs);
  }

  /** The platform refuses all that a workspace sends, for a while. */
  private stop(shop: Shop): void {
    const { platform, world } = this.scene;
    if (platform.stops.size > 0) return;
    const stopped = { shop, isOperators: platform.stop(shop.account), isLifted: false };
    this.stops.push(stopped);
    if (world.chance.hit(0.5)) this.liftLater(stopped, this.endsMs - world.nowMs);
  }

  private liftLater(stopped: Stopped, maxMs: number): void {
    const { world, platform } = this.scene;
    world.after(this.operator, world.chance.spread(200, Math.max(1_000, maxMs)), 'a stop ends', () => {
      stopped.isLifted = true;
      platform.lift(stopped.shop.account);
      if (stopped.isOperators) this.sync(stopped.shop, lateAnswersMs);
    });
  }

  /** The operator says that a stop is over: again where it could not be read, or an answer from before came late. */
  private sync(shop: Shop, againMs: number): void {
    const { world } = this.scene;
    const again = (waitMs: number, nextMs: number): void => {
      if (waitMs > 0) world.after(this.operator, waitMs, 'syncs again', () => this.sync(shop, nextMs));
    };
    const isAsked = this.ask(shop, 'sync', async (ctx) => {
      try {
        await syncWorkspace(ctx, { resume: true });
        again(againMs, 0);
      } catch (error) {
        again(retrySyncMs, againMs);
        if (!/ECONN|Timeout/.test(String(error))) throw error;
      }
    });
    if (!isAsked) again(retrySyncMs, againMs);
  }

  /** A customer whose phone was hidden writes with it: it is the one of another. */
  private uncover(shop: Shop): void {
    const { account } = shop;
    const [known, hidden] = pairOf(shop);
    if (!known || !hidden) return;
    const from = { phone: known.phone, user: hidden.user };
    const { platform, town, world } = this.scene;
    for (const wamid of platform.customerWrites(account, from, 'It is me'))
      this.written.push({ wamid, customer: known });
    // Others write while a long history is moved.
    if (this.theme.haveLongHistories)
      for (const other of town.customers.filter(({ workspaceId }) => workspaceId !== shop.workspaceId))
        world.after(this.people, world.chance.spread(1, 300), 'writes beside', () => this.write(other));
  }
}

/** Returns the two customers of a workspace who are one person: the first one, and the one whose phone is hidden. */
const pairOf = ({ customers }: Shop): Customer[] => [
  ...customers.slice(0, 1),
  ...customers.filter(({ user }) => user !== ''),
];
const fromOf = ({ phone, user }: Customer): { phone?: string; user?: string } => (phone === '' ? { user } : { phone });
const addressOf = ({ phone, user }: Customer): string => (phone === '' ? user : `+${phone}`);
