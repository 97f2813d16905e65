import type { Installation } from './context';

const firstNames = `
  Anna Ben Clara David Emma Felix Greta Hannah Ivan Julia Karim Lena Mohammed Nina Oscar Paula Quentin Rosa Samuel
  Tara Umar Vera William Xenia Yusuf Zoe Alejandro Beatrix Chidi Dilara Eleni Fatima Giovanni Henrike Ingrid
  Jamal Katarzyna Ludovic Margarethe Nikolai Olivia Priya Rajesh Svetlana Thiago Ulrike Valentina Wolfgang
  Ximena Yolanda Zainab Änne Björn Çağla Łukasz José François Søren Zoë Anastasia Bartholomew Christopher
  Dominique Elisabeth Frederick Gabriella Hildegard Isabella Jonathan Konstantin Leonardo Maximilian Nathaniel
  Octavia Penelope Raphael Sebastian Theodora Veronika Wilhelmina`;
const lastNames = `
  Müller Schmidt Schneider Fischer Weber Meyer Wagner Becker Schulz Hoffmann Smith Johnson Williams Brown Jones
  Garcia Martinez Rodriguez Lopez Gonzalez Rossi Russo Ferrari Esposito Bianchi Martin Bernard Dubois Silva
  Santos Oliveira Souza Pereira Kumar Singh Sharma Patel Gupta Khan Ahmed Hassan Ibrahim Nguyen Tran Kowalski
  Nowak Wiśniewski Ivanova Petrov Sokolova Yılmaz Demir Kaya Papadopoulos Andersson Johansson Nielsen Hansen
  de_Vries van_den_Berg Jansen Bakker O'Brien O'Connor MacDonald Fitzgerald Okafor Adeyemi Mensah Ndiaye Tanaka
  Sato Suzuki Takahashi Zimmermann Schwarzenberger Grünwald Hohenstein Lindqvist Bergström Castellanos
  Villanueva Montgomery Featherstone Kowalczyk Szczepański Baumgartner Steinmeier Rosenthal Lichtenberg
  Winterbourne Abernathy Blackwood Cavendish Drummond Ellsworth Fairchild Greenwood Hathaway Kensington
  Lancaster`;
const domains = [
  'gmail.com',
  'gmail.com',
  'gmail.com',
  'outlook.com',
  'yahoo.com',
  'hotmail.de',
  'web.de',
  'gmx.net',
  'icloud.com',
  'proton.me',
  'orange.fr',
  'libero.it',
  'example.org',
  'uol.com.br',
];
const trades = [
  'Logistics',
  'Garden Centre',
  'Bakery',
  'Consulting',
  'Motors',
  'Pharmacy',
  'Textiles',
  'Software',
  'Foods',
  'Travel',
  'Dental',
  'Interiors',
  'Electric',
  'Law',
  'Print',
  'Hotel',
];
const forms = ['GmbH', 'Ltd', 'Inc', 'AG', 'SARL', 'S.p.A.', '& Sons', 'BV', 'KG', 'Lda'];
const codes = [
  '49',
  '49',
  '49',
  '49',
  '44',
  '44',
  '1',
  '1',
  '33',
  '34',
  '39',
  '31',
  '43',
  '41',
  '91',
  '91',
  '55',
  '52',
  '234',
  '90',
];

/** A word that stands in about `hits` contacts of a million; the others are as they come. */
interface Planted {
  readonly term: string;
  readonly hits: number;
}

/**
 * Words that nobody else has, in name, email, company, username and bsuid; the first stands only in the oldest
 * contacts.
 */
export const planted: readonly Planted[] = [
  { term: 'Quistorp', hits: 10 },
  { term: 'kestrelmail', hits: 200 },
  { term: 'Zephyrine', hits: 2_000 },
  { term: 'Oyelaran', hits: 200 },
  { term: 'Wojciechowicz', hits: 2_000 },
  { term: 'vqx', hits: 10 },
  { term: 'xwq', hits: 200 },
  { term: 'qjx', hits: 1_900 },
];

const words = (text: string): string[] =>
  text
    .split(/\s+/)
    .filter(Boolean)
    .map((word) => word.replaceAll('_', ' '));

/**
 * Contacts as a helpdesk has them: names by frequency, phones of several countries, some without one, emails,
 * companies, user names and user ids in part. Made by one statement with the secondary indexes built afterwards;
 * without conversations, which no list of contacts reads, unless they are `opened`.
 */
export async function seedPeople(
  installation: Installation,
  workspaceId: number,
  count: number,
  options: { readonly bulk: boolean; readonly opened?: boolean },
): Promise<void> {
  const indexes = options.bulk
    ? await installation.sql<{ name: string; definition: string }>(
        `SELECT indexname AS name, indexdef AS definition FROM pg_indexes
          WHERE schemaname = 'public' AND tablename = 'contacts' AND indexdef NOT LIKE 'CREATE UNIQUE%'`,
      )
    : [];
  for (const index of indexes) await installation.sql(`DROP INDEX "${index.name}"`);
  const every = planted.map(({ hits }) => Math.round(1_000_000 / hits));
  await installation.sql(
    // Pseudo-random by the row's number: every run has the same people.
    `WITH numbered AS (
       SELECT n, r.*, ($4::text[])[1 + floor(r.a * r.a * cardinality($4::text[]))::int] AS first,
         ($5::text[])[1 + floor(r.b * r.b * cardinality($5::text[]))::int] AS last
       FROM generate_series(1, $2::int) AS n,
         LATERAL (SELECT (hashint8extended(n, 1) & 1048575) / 1048576.0 AS a,
           (hashint8extended(n, 2) & 1048575) / 1048576.0 AS b, (hashint8extended(n, 3) & 1048575) / 1048576.0 AS c,
             (hashint8extended(n, 4) & 1048575) / 1048576.0 AS d) AS r
     ), drafted AS (
       SELECT n, c, d,
         CASE WHEN c < 0.92 THEN ($6::text[])[1 + floor(d * cardinality($6::text[]))::int]
           || lpad((n::bigint * 387420489 % 9999999967)::text, 10, '0') END AS phone,
         CASE WHEN c > 0.4 THEN 'DE.' || (n::bigint * 740003 % 9999999999971)::text || CASE
           WHEN n % ($3::int[])[8] = 3 THEN 'qjx' ELSE '' END END AS bsuid,
         CASE WHEN n <= 50000 AND n % 5000 = 17 THEN 'Ada Quistorp'
           WHEN n % ($3::int[])[4] = 7 THEN first || ' Oyelaran'
             WHEN n % ($3::int[])[5] = 11 THEN first || ' Wojciechowicz'
           WHEN d < 0.05 THEN '' WHEN d < 0.12 THEN first ELSE first || ' ' || last END AS name,
         CASE WHEN n % ($3::int[])[2] = 5 THEN regexp_replace(lower(first), '[^a-z]', '',
           'g') || n || '@kestrelmail.org'
           WHEN a < 0.55 THEN regexp_replace(lower(first || '.' || last), '[^a-z.]', '',
             'g') || n % 1000 || '@' || ($7::text[])[1 + floor(c * cardinality($7::text[]))::int] ELSE '' END AS email,
         CASE WHEN n % ($3::int[])[3] = 9 THEN 'Zephyrine ' || ($8::text[])[1 + n % cardinality($8::text[])]
           WHEN b < 0.3 THEN ($5::text[])[1 + n % cardinality($5::text[])] || ' ' || ($8::text[])[1
             + n % cardinality($8::text[])] || ' ' || ($9::text[])[1 + n % cardinality($9::text[])]
               ELSE '' END AS company,
         CASE WHEN n % ($3::int[])[6] = 1 THEN 'vqx' || to_hex(n) WHEN n % ($3::int[])[7] = 2 THEN 'xwq' || to_hex(n)
           WHEN d > 0.8 THEN lower(left(first, 5)) || '_' || to_hex(n) END AS username
       FROM numbered
     )
     INSERT INTO contacts (workspace_id, receiver_id, phone, bsuid, name, email, company, username, notes, tags,
       custom_fields, first_message_at, created_at, updated_at)
     SELECT $1, coalesce(phone, bsuid), phone, bsuid, name, email, company, username,
       '', CASE WHEN c < 0.1 THEN '["vip"]'::jsonb WHEN c < 0.3 THEN '["newsletter"]' ELSE '[]' END, '{}',
       CASE WHEN d < 0.7 THEN created END, created, created + d * (now() - created)
     FROM drafted, LATERAL (SELECT now() - interval '3 years' + n * (interval '3 years' / $2::int) AS created) AS times
       ORDER BY n`,
    [workspaceId, count, every, words(firstNames), words(lastNames), codes, domains, trades, forms],
  );
  for (const index of indexes) await installation.sql(index.definition);
  if (options.opened)
    await installation.sql(
      `INSERT INTO conversations (id, workspace_id, contact_id) SELECT id, $1, id FROM contacts WHERE workspace_id = $1
       ON CONFLICT DO NOTHING`,
      [workspaceId],
    );
}
