import type { Context } from '../support/context';
import { atMost, type Figure, type Line } from '../support/figure';
import { seedInbox } from '../support/seedInbox';
import { openSession, waits } from '../support/session';
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
    const { token, memberId } = await openSession(installation);
    const cookie = `token=${token}`;
    await installation.sql('UPDATE conversations SET assigned_member_id = $1 WHERE id % 200 = 0', [memberId]);
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
