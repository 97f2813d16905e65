import type { WebhookAnswer, WebhookClient } from '../../api/core/http/webhookClient';
import { acting, party, type Party, type World } from './world';

/** What a receiver was sent. */
interface Received {
  readonly webhookId: string;
  readonly type: string;
  readonly sequence: number;
  readonly subject: string;
  /** The process that sent it. */
  readonly by: Party;
  readonly atMs: number;
  /** When its sender heard that it arrived. */
  heardMs: number;
}

/** A system of a customer's that takes webhooks. */
export class Receiver implements WebhookClient {
  readonly party = party('receiver');
  readonly received: Received[] = [];
  /** How often it is out of order. */
  fails = 0;
  /** Whether it ever was: then the service leaves it alone for a while. */
  hasFailed = false;

  constructor(private readonly world: World) {}

  async post(_url: string, headers: Readonly<Record<string, string>>, body: string): Promise<WebhookAnswer> {
    const caller = acting.getStore();
    if (!caller) throw new Error('the receiver is called by nobody');
    const { chance } = this.world;
    const id = headers['webhook-id'] ?? '';
    await this.world.pass([caller], `posts ${id}`);
    const fate = chance.hit(this.fails) ? chance.pick(['500', 'unreachable', 'lost'] as const) : '200';
    if (fate !== '200') this.hasFailed = true;
    const { type, sequence, data } = JSON.parse(body) as { type: string; sequence: number; data: { id?: unknown } };
    const known: Received = {
      webhookId: id,
      type,
      sequence,
      subject: String(data.id ?? ''),
      by: caller,
      atMs: Infinity,
      heardMs: Infinity,
    };
    // What left arrives, even if the sender dies meanwhile.
    if (fate !== 'unreachable' && fate !== '500')
      await new Promise<void>((resolve) =>
        this.world.park(
          [this.party],
          `receives ${type} ${id}`,
          () => {
            this.received.push(Object.assign(known, { atMs: this.world.nowMs }));
            resolve();
          },
          chance.spread(2, 200),
        ),
      );
    await this.world.pass([caller], `hears ${fate} of ${id}`, chance.spread(2, 200) + this.world.lag());
    if (fate === '200') known.heardMs = this.world.nowMs;
    if (fate === '200') return { status: 200, error: '', retryAfterMs: null, body: '' };
    if (fate === '500')
      return { status: 500, error: 'The receiver answered with status 500.', retryAfterMs: null, body: null };
    return { status: null, error: 'read ECONNRESET', retryAfterMs: null, body: null };
  }

  /** Nobody here signs in. */
  fetch(): Promise<Response> {
    return Promise.reject(new Error('There is none.'));
  }

  /** Nothing here has a document to be read. */
  read(): Promise<{ readonly problem: string }> {
    return Promise.resolve({ problem: 'The address answered with status 404.' });
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
