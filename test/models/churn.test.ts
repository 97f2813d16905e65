import { sharedDesk } from '../support/sharedDesk';

/** What people set up and hardly change: the defaults of autovacuum are right for it. */
const settled = [
  'api_keys',
  'broadcasts',
  'business_accounts',
  'calendar_team_inboxes',
  'calendars',
  'canned_replies',
  'catalogue_products',
  'contact_aliases',
  'custom_fields',
  'delivery_fence',
  'delivery_holds',
  'factors',
  'file_uploads',
  'flows',
  'identity_moves',
  'installation',
  'intake_clock',
  'left_histories',
  'macros',
  'member_links',
  'members',
  'message_groups',
  'message_rates',
  // Rows are only added; its own settings vacuum it for the index alone.
  'message_usage',
  'oauth_clients',
  'oauth_codes',
  'oauth_families',
  'oauth_grants',
  'oauth_refresh_tokens',
  'oauth_requests',
  'opt_out_marks',
  'phone_numbers',
  'rules',
  'saved_views',
  'schema_migrations',
  'sla_policies',
  'sso_providers',
  'team_inbox_members',
  'team_inboxes',
  'templates',
  'ticket_contacts',
  'ticket_pipelines',
  'ticket_stage_moves',
  'ticket_stages',
  'ticket_watchers',
  'webhook_subscriptions',
  'workspaces',
];

/** A table that changes with every message has settings of its own; whoever adds a table decides which kind it is. */
it('has autovacuum settings for every table that is not set up once and left alone', async () => {
  const desk = await sharedDesk('no sandbox');
  const tables = await desk.runtime.db.rows<{ name: string; own: boolean }>(
    `SELECT relname AS name, coalesce(array_to_string(reloptions, ' ') LIKE '%autovacuum_vacuum_scale_factor%',
      false) AS own
     FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY relname`,
  );
  await desk.close();
  expect(tables.filter(({ own }) => !own).map(({ name }) => name)).toEqual(settled);
});
