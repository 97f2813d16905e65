import { syncWorkspace } from '../../api/services/processes/upstreamSync/service';
import { setMessagingLimit, setUsername } from '../../api/services/resources/accounts/announcedChanges';
import { listAccounts } from '../../api/services/resources/accounts/service';
import { requestSync, stopSending } from '../../api/services/resources/accounts/stops';
import type { Account } from '../../dev/sandbox/types';
import { createWorkspace, type TestWorkspace } from '../factories/workspaces';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';

type Json = Record<string, unknown>;

let desk: TestApi;
let workspace: TestWorkspace;
let account: Account;
beforeAll(async () => {
  desk = await sharedDesk('plain');
});
afterAll(() => desk.close());
beforeEach(async () => {
  workspace = await createWorkspace(desk);
  const found = desk.sandbox.state.accounts.get(workspace.account.businessAccountId);
  if (!found) throw new Error('the sandbox has no such account');
  account = found;
});

const parts = ['phone_numbers', 'message_templates', 'flows', 'products'];

/** Begins a sync that has got the platform's answers; gives what lets it store them. */
async function heldSync(): Promise<() => Promise<unknown>> {
  const { upstream } = desk.runtime;
  const list = upstream.list.bind(upstream);
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  let sync: Promise<unknown> = Promise.resolve();
  await new Promise<void>((resolve) => {
    const answered = new Set<string>();
    const spy = jest.spyOn(upstream, 'list').mockImplementation(async (token, path, query) => {
      const items = await list(token, path, query);
      const part = path.split('/').at(-1) ?? '';
      if (!parts.includes(part)) return items;
      answered.add(part);
      if (answered.size === parts.length) {
        spy.mockRestore();
        resolve();
      }
      await released;
      return items;
    });
    sync = syncWorkspace(workspace.ctx, { catalogue: true });
  });
  return () => {
    release();
    return sync;
  };
}

/** Changes one of each kind at the platform, and adds a product. */
function change(word: string): void {
  const [number, template, flow, product] = [
    account.phone_numbers[0],
    account.templates[0],
    account.flows[0],
    account.products[0],
  ];
  if (!number || !template || !flow || !product) throw new Error('the account lacks something');
  number.verified_name = word;
  template.components = [{ type: 'BODY', text: word }];
  flow.name = word;
  product.name = word;
  account.products.push({ ...product, id: `${account.products.length + 900}`, retailer_id: `NEW-${word}` });
}

const stored = async (): Promise<unknown[]> => {
  const rows = await desk.runtime.db.rows<Json>(
    `SELECT array(SELECT verified_name::text FROM phone_numbers WHERE workspace_id = $id ORDER BY id LIMIT 1)
       || array(SELECT components #>> '{0,text}' FROM templates WHERE workspace_id = $id ORDER BY id LIMIT 1)
       || array(SELECT name::text FROM flows WHERE workspace_id = $id ORDER BY id LIMIT 1)
       || array(SELECT name::text FROM catalogue_products WHERE workspace_id = $id AND retailer_id LIKE 'NEW-%')
       AS words`,
    { id: workspace.id },
  );
  return rows[0]?.['words'] as unknown[];
};

it('what an earlier read gave does not replace what a later one gave', async () => {
  const store = await heldSync();
  change('later');
  await syncWorkspace(workspace.ctx, { catalogue: true });
  expect(await stored()).toEqual(['later', 'later', 'later', 'later']);
  // The earlier one reads again, and answers by that.
  change('last');
  expect(await store()).toMatchObject({ phone_numbers: 2, skipped: [] });
  expect((await stored()).slice(0, 3)).toEqual(['last', 'last', 'last']);
});

it("a read is stored though the database's clock went back since the last one", async () => {
  await desk.runtime.db.rows(
    "UPDATE business_accounts SET read_at = now() + interval '1 hour' WHERE workspace_id = $id",
    {
      id: workspace.id,
    },
  );
  change('later');
  await syncWorkspace(workspace.ctx, { catalogue: true });
  expect(await stored()).toEqual(['later', 'later', 'later', 'later']);
});

it('a flow that was read by itself meanwhile stays as it was read', async () => {
  const path = `/api/v1/flows/${String(account.flows[0]?.id)}/`;
  await desk.runtime.db.rows("UPDATE flows SET synced_at = synced_at - interval '6 seconds' WHERE workspace_id = $id", {
    id: workspace.id,
  });
  const store = await heldSync();
  change('later');
  expect((await workspace.api.get(path)).body['name']).toBe('later');
  await store();
  const { body } = await workspace.api.get('/api/v1/flows/');
  expect(body.results.map(({ name }) => name)).toContain('later');
});

it('what an event told of a number after the read had begun outlives it', async () => {
  const { ctx } = workspace;
  const [row] = await listAccounts(ctx);
  const digits = String(account.phone_numbers[0]?.display_phone_number).replace(/\D/g, '');
  const store = await heldSync();
  const announced = { businessAccountPk: row?.id ?? 0, digits, at: new Date() };
  await setUsername(ctx, { ...announced, username: 'newer', status: 'approved' });
  await setMessagingLimit(ctx, { ...announced, limit: 'TIER_NEWER' });
  await store();
  const { body } = await workspace.api.get('/api/v1/phone-numbers/');
  expect(body).toContainEqual(
    expect.objectContaining({ business_username: 'newer', messaging_limit_tier: 'TIER_NEWER' }),
  );
});

it('a request and a stop that came after the read had begun outlive it', async () => {
  const { ctx } = workspace;
  const [row] = await listAccounts(ctx);
  const businessAccountId = row?.id ?? 0;
  const state = (): Promise<Json | null> =>
    desk.runtime.db.row<Json>(
      `SELECT resync_at IS NOT NULL AS asked, stopped_code FROM business_accounts WHERE id = $businessAccountId`,
      { businessAccountId },
    );
  await requestSync(ctx, businessAccountId);
  const store = await heldSync();
  await requestSync(ctx, businessAccountId);
  await stopSending(ctx, { code: 190, title: 'expired', businessAccountId, numberId: null, reportedAt: null });
  await store();
  expect(await state()).toEqual({ asked: true, stopped_code: 190 });
  await syncWorkspace(ctx);
  expect(await state()).toEqual({ asked: false, stopped_code: null });
});
