import { randomToken } from '../../api/core/secrets';
import { createMember } from '../../api/services/identity/members/service';
import { signIn } from '../../api/services/identity/members/sessions';
import type { Context, Installation } from '../support/context';
import { atMost, type Figure, type Line } from '../support/figure';
import { seedInbox } from '../support/seedInbox';
import { percentile } from '../support/stats';

/** The dashboard's inbox in a workspace of 100,000 conversations: what a member waits for, one request at a time. */
export const figure: Figure = {
  name: 'inbox',
  async run(context: Context) {
    const installation = await context.install();
    const conversations = context.quick ? 10_000 : 100_000;
    const newest = await seedInbox(installation, conversations);
    context.log(`${conversations} conversations are there`);
    const api = await installation.startApi();
    const cookie = `token=${await openSession(installation)}`;
    const inbox = `${api.url}/dashboard/inbox/`;
    const whole = { cookie };
    const part = { cookie, 'hx-request': 'true' };
    const measured: readonly (readonly [what: string, url: string, headers: Record<string, string>])[] = [
      ['the page itself', inbox, whole],
      ['a conversation beside the list', `${inbox}${newest}/`, whole],
      ['the numbers of the views', `${inbox}?part=counts`, part],
      ['view: all', `${inbox}?view=all`, part],
      ['view: mine', `${inbox}?view=mine`, part],
      ['view: unassigned', `${inbox}?view=unassigned`, part],
      ['view: done', `${inbox}?view=resolved`, part],
      ['filter: urgent', `${inbox}?view=all&priority=urgent`, part],
      ['filter: unread', `${inbox}?view=all&unread=true`, part],
      ['filter: a rare tag', `${inbox}?view=all&tag=press`, part],
      ['filter: a frequent tag', `${inbox}?view=all&tag=retail`, part],
      ['filter: can be answered freely', `${inbox}?view=all&window_open=true`, part],
      ['search: a name', `${inbox}?search=customer+4711`, part],
      ['search: a frequent word', `${inbox}?search=company`, part],
    ];
    const lines: Line[] = [];
    for (const [what, url, headers] of measured) {
      const times = await waits(url, headers, context.quick ? 10 : 40);
      context.log(`${what}: p50 ${percentile(times, 0.5).toFixed(1)} ms, longest ${Math.max(...times).toFixed(1)} ms`);
      lines.push(atMost(`${conversations} conversations, ${what}, p95 in ms`, percentile(times, 0.95), 150));
    }
    return lines;
  },
};

async function openSession({ ctx, runtime }: Installation): Promise<string> {
  const password = randomToken(12);
  const member = await createMember(ctx, { email: 'inbox@example.com', role: 'admin', password });
  await runtime.db.rows('UPDATE conversations SET assigned_member_id = $member WHERE id % 200 = 0', {
    member: member.id,
  });
  const session = await signIn(runtime, {
    email: member.email,
    password: password ?? '',
    address: '127.0.0.1',
    network: '127.0.0.0/24',
    device: null,
    userAgent: 'bench',
  });
  return session.token;
}

/** Returns how long each of so many requests took, one after the other, in ms; the first few warm the server up. */
async function waits(url: string, headers: Record<string, string>, count: number): Promise<number[]> {
  const times: number[] = [];
  for (let index = -5; index < count; index += 1) {
    const begun = performance.now();
    const answer = await fetch(url, { headers, redirect: 'manual' });
    await answer.text();
    if (answer.status !== 200) throw new Error(`${url} answered ${answer.status}`);
    if (index >= 0) times.push(performance.now() - begun);
  }
  return times;
}
