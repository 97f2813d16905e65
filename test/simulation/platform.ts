import { acting, party, startMs, type Party, type World } from './world';

type Json = Record<string, unknown>;

/** What undici asks of whoever dispatches a request. */
export interface Handler {
  onRequestStart?(controller: object, context: object): void;
  onResponseStart?(controller: object, status: number, headers: Record<string, string>, text: string): void;
  onResponseData?(controller: object, chunk: Buffer): void;
  onResponseEnd?(controller: object, trailers: Record<string, string>): void;
  onResponseError?(controller: object, error: Error): void;
}

interface Request {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

/** A message that the platform took. */
interface Accepted {
  readonly wamid: string;
  /** Our own id, which goes with each message. */
  readonly opaque: string;
  readonly to: string;
  readonly numberId: string;
  /** What stands in it, by which a run knows its messages. */
  readonly mark: string;
  readonly atMs: number;
  /** The highest status that is told of it; null where nothing is. */
  end: 'sent' | 'delivered' | 'read' | 'failed' | null;
}

/** A call to send, whatever became of it. */
export interface Call {
  readonly opaque: string;
  readonly mark: string;
  readonly by: string;
  readonly atMs: number;
  /**
   * What the caller can know: nothing (`unsure`) where the answer was lost or cannot be read. `lied`: it was taken, and
   * the answer says that it was not.
   */
  fate: 'accepted' | 'refused' | 'refused for good' | 'unsure' | 'lied' | 'never arrived';
  /** When the caller had the answer. */
  heardMs: number;
}

/** How likely each fault is. */
interface PlatformFaults {
  unreachable: number;
  lostRequest: number;
  lostAnswer: number;
  hangs: number;
  garbage: number;
  tooMany: number;
  serverError: number;
  refusesForGood: number;
  lies: number;
  repeatsStatus: number;
  losesStatus: number;
  /** Nothing is told of a message. */
  staysSilent: number;
}

/** Refuses the token: it is over when a read goes well. */
const tokenRefused = 190;
/** Refusals of an account or a number of which only the operator says that they are over. */
const accountRefused = [368, 131031, 133010] as const;

/** How long a call waits for its answer. */
const hangMs = 10_000;

export const noFaults: PlatformFaults = {
  unreachable: 0,
  lostRequest: 0,
  lostAnswer: 0,
  hangs: 0,
  garbage: 0,
  tooMany: 0,
  serverError: 0,
  refusesForGood: 0,
  lies: 0,
  repeatsStatus: 0,
  losesStatus: 0,
  staysSilent: 0,
};

/** An account at the platform. */
export interface PlatformAccount {
  readonly businessAccountId: string;
  readonly phoneNumberId: string;
  readonly displayNumber: string;
  readonly secret: string;
  readonly templates: readonly Json[];
}

/** The platform, in this program: what it takes it writes down, and tells by webhooks. */
export class Platform {
  readonly party = party('platform');
  readonly accepted: Accepted[] = [];
  readonly calls: Call[] = [];
  faults: PlatformFaults = { ...noFaults };
  /** The code by which everything is refused that goes out by a number. */
  readonly stops = new Map<string, number>();
  /** Brings a webhook to the service; set by the run. */
  deliver: (account: PlatformAccount, payload: Json) => void = () => undefined;
  /** A number that it answers slowly, fault or no fault. */
  slow: string | null = null;
  private numbers = 0;

  constructor(
    private readonly world: World,
    readonly accounts: readonly PlatformAccount[],
  ) {}

  /** Takes a request as a connection would. */
  dispatch(options: unknown, handler: Handler): boolean {
    const request = options as Request;
    const caller = acting.getStore();
    if (!caller) throw new Error('the platform is called by nobody');
    const exchange = new Exchange(handler);
    const { chance } = this.world;
    const [, , first = '', second = ''] = request.path.split('?')[0]?.split('/') ?? [];
    const begin = (): void => {
      if (exchange.isOver) return;
      if (chance.hit(this.faults.unreachable)) {
        exchange.fail(new Error('connect ECONNREFUSED'));
        return;
      }
      exchange.begin();
      if (exchange.isOver) return;
      const delayMs = chance.spread(3, 200);
      if (request.method === 'POST' && second === 'messages')
        this.carry(caller, first, String(request.body), exchange, delayMs);
      else
        this.world.park(
          [this.party, caller],
          'answers a read',
          () => {
            const isRefused = this.stops.get(this.accountOf(first)?.phoneNumberId ?? '') === tokenRefused;
            exchange.answer(isRefused ? 401 : 200, isRefused ? errorOf(tokenRefused, 'No') : this.read(first, second));
          },
          delayMs,
        );
    };
    this.world.park([caller], `calls the platform: ${request.method} ${first}/${second}`, begin, this.world.lag());
    return true;
  }

  /** Brings a message to the platform; what happens there happens even if the caller dies meanwhile. */
  private carry(caller: Party, numberId: string, body: string, exchange: Exchange, delayMs: number): void {
    const { chance } = this.world;
    const message = JSON.parse(body) as Json;
    const opaque = String(message['biz_opaque_callback_data'] ?? '');
    const call: Call = {
      opaque,
      mark: markOf(message),
      by: caller.name,
      atMs: this.world.nowMs,
      fate: 'never arrived',
      heardMs: Infinity,
    };
    this.calls.push(call);
    if (chance.hit(this.faults.lostRequest)) {
      call.fate = 'unsure';
      this.world.park(
        [caller],
        'the connection breaks before the request arrives',
        () => exchange.fail(new Error('read ECONNRESET')),
        delayMs,
      );
      return;
    }
    this.world.park(
      [this.party],
      `takes ${call.mark} of ${caller.name}`,
      () => this.judge(caller, numberId, message, call, exchange),
      delayMs,
    );
  }

  private judge(caller: Party, numberId: string, message: Json, call: Call, exchange: Exchange): void {
    const { chance, nowMs } = this.world;
    const answer = (status: number, body: Json | string, what: string): void =>
      this.world.park(
        [caller],
        what,
        () => {
          if (!exchange.isOver) call.heardMs = this.world.nowMs;
          exchange.answer(status, body);
        },
        (numberId === this.slow ? chance.spread(4_000, 9_000) : chance.spread(2, 300)) + this.world.lag(),
      );
    const refuse = (status: number, code: number, title: string): void =>
      answer(status, errorOf(code, title), `refuses ${call.mark} (${code})`);
    const stop = this.stops.get(numberId);
    if (stop !== undefined) {
      call.fate = 'refused';
      return refuse(stop === tokenRefused ? 401 : 403, stop, 'Not allowed to send');
    }
    if (chance.hit(this.faults.tooMany)) {
      call.fate = 'refused';
      return refuse(400, chance.pick([130429, 131056, 4]), 'Too many messages');
    }
    if (chance.hit(this.faults.serverError)) {
      call.fate = 'refused';
      return refuse(500, chance.pick([131000, 131016, 2]), 'Try again later');
    }
    if (chance.hit(this.faults.refusesForGood)) {
      call.fate = 'refused for good';
      return refuse(400, 131026, 'Message undeliverable');
    }
    this.numbers += 1;
    const taken: Accepted = {
      wamid: `wamid.${this.world.seed}.${this.numbers}`,
      opaque: call.opaque,
      to: String(message['to'] ?? message['recipient'] ?? ''),
      numberId,
      mark: call.mark,
      atMs: nowMs,
      end: null,
    };
    this.accepted.push(taken);
    this.world.note('platform', `accepts ${call.mark} as ${taken.wamid}`);
    this.carryOn(taken);
    if (!chance.hit(this.faults.staysSilent)) this.tellStatuses(taken);
    call.fate = 'accepted';
    if (chance.hit(this.faults.lies)) {
      call.fate = 'lied';
      refuse(500, 131000, 'Something went wrong');
    } else if (chance.hit(this.faults.hangs)) {
      call.fate = 'unsure';
      // The client's own limit (upstream.ts): a process that is asked to stop would wait for ever otherwise.
      this.world.after(caller, hangMs, `gives up ${call.mark}`, () =>
        exchange.fail(new Error('Headers Timeout Error')),
      );
    } else if (chance.hit(this.faults.lostAnswer)) {
      call.fate = 'unsure';
      this.world.park(
        [caller],
        `the answer for ${call.mark} is lost`,
        () => exchange.fail(new Error('read ECONNRESET')),
        chance.spread(2, 300),
      );
    } else if (chance.hit(this.faults.garbage)) {
      call.fate = 'unsure';
      answer(chance.pick([200, 502]), '<html>Bad gateway</html>', `answers ${call.mark} with garbage`);
    } else
      answer(
        200,
        {
          messaging_product: 'whatsapp',
          contacts: [{ input: taken.to, wa_id: taken.to }],
          messages: [{ id: taken.wamid }],
        },
        `answers ${call.mark}`,
      );
  }

  /** Brings a message that goes to another account's number there: two robots may talk to each other. */
  private carryOn({ to, numberId, mark }: Accepted): void {
    const sender = this.accountOf(numberId);
    const receiver = this.accounts.find(({ displayNumber }) => displayNumber === to.replace('+', ''));
    if (!sender || !receiver) return;
    this.world.after(this.party, this.world.chance.spread(20, 2_000), `brings ${mark} to ${to}`, () =>
      this.customerWrites(receiver, { phone: sender.displayNumber }, mark),
    );
  }

  /** Plans what the platform says of a message: some of it soon, some late, twice or in another order. */
  private tellStatuses(taken: Accepted): void {
    const { chance } = this.world;
    const steps = chance.pick([
      ['sent'],
      ['sent', 'delivered'],
      ['sent', 'delivered', 'read'],
      ['sent', 'failed'],
    ] as const);
    const end = steps.at(-1) ?? 'sent';
    taken.end = end;
    let delayMs = 0;
    for (const status of steps) {
      delayMs += chance.spread(1, 60_000);
      // The last one comes in any case, sooner or later.
      if (status !== end && chance.hit(this.faults.losesStatus)) continue;
      const times = chance.hit(this.faults.repeatsStatus) ? 2 : 1;
      for (let time = 0; time < times; time += 1)
        this.world.after(
          this.party,
          chance.hit(0.3) ? chance.spread(1, 120_000) : delayMs,
          `says ${status} of ${taken.mark}`,
          () =>
            this.tell(taken.numberId, {
              statuses: [
                {
                  id: taken.wamid,
                  status,
                  timestamp: String(Math.floor(this.world.nowMs / 1_000)),
                  recipient_id: taken.to,
                  biz_opaque_callback_data: taken.opaque,
                  ...(status === 'failed' ? { errors: [{ code: 131026, title: 'Message undeliverable' }] } : {}),
                },
              ],
            }),
        );
    }
  }

  /**
   * A customer writes, by phone, by user id, or by both, so many messages that come in one webhook; returns their ids
   * at the platform.
   */
  customerWrites(
    account: PlatformAccount,
    from: { phone?: string; user?: string },
    text: string,
    count = 1,
  ): readonly string[] {
    const wamids = Array.from({ length: count }, () => {
      this.numbers += 1;
      return `wamid.in.${this.world.seed}.${this.numbers}`;
    });
    const { phone, user } = from;
    this.tell(account.phoneNumberId, {
      contacts: [
        {
          profile: { name: `Customer ${phone ?? user}` },
          ...(phone === undefined ? {} : { wa_id: phone }),
          ...(user === undefined ? {} : { user_id: user }),
        },
      ],
      messages: wamids.map((id) => ({
        ...(phone === undefined ? {} : { from: phone }),
        ...(user === undefined ? {} : { from_user_id: user }),
        id,
        timestamp: String(Math.floor(this.world.nowMs / 1_000)),
        type: 'text',
        text: { body: text },
      })),
    });
    return wamids;
  }

  /** Refuses all that goes out by an account; returns whether the operator has to say when that is over. */
  stop({ phoneNumberId }: PlatformAccount): boolean {
    const { chance } = this.world;
    const code = chance.hit(0.5) ? tokenRefused : chance.pick(accountRefused);
    this.world.note('platform', `stops ${phoneNumberId} (${code})`);
    this.stops.set(phoneNumberId, code);
    return code !== tokenRefused;
  }

  /** Takes again what an account sends, and tells so half of the time. */
  lift(account: PlatformAccount): void {
    if (!this.stops.delete(account.phoneNumberId)) return;
    this.world.note('platform', `lets ${account.phoneNumberId} send again`);
    if (this.world.chance.hit(0.5)) this.bring(account, 'account_update', { event: 'ACCOUNT_RESTRICTION' });
  }

  private accountOf(id: string): PlatformAccount | undefined {
    return this.accounts.find(
      ({ phoneNumberId, businessAccountId }) => phoneNumberId === id || businessAccountId === id,
    );
  }

  private tell(numberId: string, value: Json): void {
    const account = this.accountOf(numberId);
    if (!account) throw new Error(`the platform has no number ${numberId}`);
    this.bring(account, 'messages', {
      messaging_product: 'whatsapp',
      metadata: { display_phone_number: account.displayNumber, phone_number_id: numberId },
      ...value,
    });
  }

  private bring(account: PlatformAccount, field: string, value: Json): void {
    this.deliver(account, {
      object: 'whatsapp_business_account',
      entry: [{ id: account.businessAccountId, changes: [{ field, value }] }],
    });
  }

  private read(id: string, edge: string): Json {
    const account = this.accounts.find(({ businessAccountId }) => businessAccountId === id);
    if (account && edge === 'phone_numbers')
      return {
        data: [
          {
            id: account.phoneNumberId,
            display_phone_number: account.displayNumber,
            verified_name: 'Shop',
            status: 'CONNECTED',
            throughput: { level: 'HIGH' },
          },
        ],
      };
    if (account && edge === 'message_templates') return { data: account.templates };
    return { data: [] };
  }
}

/** One request on its way, seen from its connection. */
class Exchange {
  isOver = false;
  private readonly controller = {
    aborted: false,
    paused: false,
    reason: null as Error | null,
    abort: (reason: Error) => this.fail(reason),
    pause: () => undefined,
    resume: () => undefined,
  };

  constructor(private readonly handler: Handler) {}

  begin(): void {
    this.handler.onRequestStart?.(this.controller, {});
  }

  answer(status: number, body: Json | string): void {
    if (this.isOver) return;
    this.isOver = true;
    const { handler, controller } = this;
    handler.onResponseStart?.(controller, status, { 'content-type': 'application/json' }, 'OK');
    handler.onResponseData?.(controller, Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)));
    handler.onResponseEnd?.(controller, {});
  }

  fail(reason: Error): void {
    if (this.isOver) return;
    this.isOver = true;
    this.controller.aborted = true;
    this.controller.reason = reason;
    this.handler.onResponseError?.(this.controller, reason);
  }
}

const errorOf = (code: number, title: string): Json => ({
  error: { code, message: title, error_data: { details: title } },
});

/** Returns what a message says, as runs mark their messages by it. */
function markOf(message: Json): string {
  const text = JSON.stringify(message['text'] ?? message['template'] ?? message);
  return /#[a-z]+\d+/.exec(text)?.[0] ?? `?${startMs}`;
}
