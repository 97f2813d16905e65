import type { Context } from '../support/context';
import { atMost, type Figure } from '../support/figure';
import { createReader } from '../support/reads';
import { seedPeople } from '../support/seedPeople';
import { percentile } from '../support/stats';

/** Search in the words of messages: rare ones, common ones, and words that only old messages have (contract 18). */
export const figure: Figure = {
  name: 'search',
  async run(context: Context) {
    const messages = context.quick ? 200_000 : 5_000_000;
    const people = context.quick ? 2_000 : 50_000;
    const installation = await context.install();
    const begun = Date.now();
    const { workspaceId } = installation.ctx;
    await seedPeople(installation, workspaceId, people, { bulk: true, opened: true });
    const [first] = await installation.sql<{ id: number }>(
      'SELECT min(id)::int AS id FROM conversations WHERE workspace_id = $1',
      [workspaceId],
    );
    await installation.sql('ALTER TABLE messages DISABLE TRIGGER USER');
    await installation.sql('DROP INDEX messages_words');
    const batch = 500_000;
    for (let from = 1; from <= messages; from += batch)
      // Six words of fifty thousand, of which a few are in most messages and most in a few; and a number of its own
      // hundred. Only the oldest twentieth is from Perth.
      await installation.sql(
        `INSERT INTO messages (workspace_id, conversation_id, direction, type, body, message_status, "read", created_at)
         SELECT $1, $2::bigint + n % $3::int, 'inbound', 'text', jsonb_build_object('type', 'text', 'text',
           jsonb_build_object('body', concat_ws(' ', 'Order', n / 100,
             w(random()), w(random()), w(random()), w(random()), w(random()), w(random()),
             CASE WHEN n < $4::int / 20 THEN 'Perth' END))), 'received', true,
           now() - interval '3 years' + n * interval '15 seconds'
         FROM generate_series($5::int, $6::int) AS n`.replaceAll(
          'w(random())',
          "'word' || floor(power(random(), 4) * 50000)::int",
        ),
        [workspaceId, first?.id ?? 0, people, messages, from, Math.min(messages, from + batch - 1)],
      );
    await installation.sql('CREATE INDEX messages_words ON messages USING gin (workspace_id, words)');
    await installation.sql('ALTER TABLE messages ENABLE TRIGGER USER');
    await installation.sql('VACUUM ANALYZE messages');
    context.log(`${messages} messages are there after ${((Date.now() - begun) / 1000).toFixed(0)} s`);

    const api = await installation.startApi();
    const { get, close } = createReader(api.url ?? '', installation.apiKey);
    const timesOf = async (words: readonly string[]): Promise<number[]> => {
      const times: number[] = [];
      for (const q of words) {
        const { ms, answer } = await get(`/api/v1/messages/search/?q=${encodeURIComponent(q)}`);
        context.log(`${q}: ${ms.toFixed(1)} ms, ${answer.results.length} found`);
        times.push(ms);
      }
      return times;
    };
    const many = (count: number, word: (index: number) => string): string[] =>
      Array.from({ length: count }, (_unused, index) => word(index));
    await timesOf(['warm up']);
    const rare = await timesOf([
      ...many(40, (index) => String(1 + Math.floor(((index + 0.5) * messages) / 4_000))),
      ...many(20, (index) => `word${30_000 + index * 997} word${20_000 + index * 7}`),
    ]);
    const common = await timesOf(['order', 'wor', 'word0', 'word1 order', 'o', ...many(15, (index) => `word${index}`)]);
    const old = await timesOf(many(5, () => 'perth'));
    await close();
    return [
      atMost('words of at most a thousand messages, p95 in ms', percentile(rare, 0.95), 60),
      atMost('words of more than a hundredth of all, newest 50, p95 in ms', percentile(common, 0.95), 300),
      { what: 'a word of a twentieth of all, only in the oldest, p50 in ms', value: percentile(old, 0.5) },
    ];
  },
};
