import { syncAllDue, syncWorkspace } from '../../api/services/processes/upstreamSync/service';
import type { Product } from '../../dev/sandbox/types';
import { createWorkspace, type TestWorkspace } from '../factories/workspaces';
import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';

type Json = Record<string, unknown>;

const path = '/api/v1/catalogue/products/';
let desk: TestApi;
beforeAll(async () => {
  desk = await sharedDesk('plain');
});
afterAll(() => desk.close());

function shop(workspace: TestWorkspace): { catalog_id: string; products: Product[] } {
  const account = desk.sandbox.state.accounts.get(workspace.account.businessAccountId);
  if (!account) throw new Error('no account');
  return account;
}
const names = async (workspace: TestWorkspace, query = ''): Promise<unknown[]> =>
  (await workspace.api.get<{ results: Json[] }>(`${path}${query}`)).body.results.map((item) => item['name']);

it('lists the products of the catalogue with every field', async () => {
  const workspace = await createWorkspace(desk);
  const { body } = await workspace.api.get<Json & { results: Json[] }>(path);
  expect(body).toMatchObject({ count: 4, next: null, previous: null });
  expect(body.results[1]).toEqual({
    id: expect.any(Number),
    retailer_id: 'GG-SHOVEL',
    name: 'Garden shovel',
    description: 'Steel blade, ash handle',
    price: '$24.90',
    currency: 'USD',
    availability: 'in stock',
    image_url: 'https://example.com/i/shovel.jpg',
    url: 'https://example.com/p/shovel',
    catalog_id: shop(workspace).catalog_id,
    updated_at: expect.stringMatching(/Z$/),
    synced_at: expect.stringMatching(/Z$/),
  });
});

it('searches and filters', async () => {
  const workspace = await createWorkspace(desk);
  expect(await names(workspace, '?search=SHOVEL')).toEqual(['Garden shovel']);
  expect(await names(workspace, '?search=gg-')).toHaveLength(4);
  expect(await names(workspace, '?search=frost')).toEqual(['Terracotta pot']);
  expect(await names(workspace, '?search=%25')).toEqual([]);
  expect(await names(workspace, '?availability=Out%20of%20stock')).toEqual(['Garden hose']);
  expect(await names(workspace, '?availability=in%20stock&search=seeds')).toEqual(['Wildflower seeds']);
  expect(await names(workspace, '?availability=never')).toEqual([]);
});

it('follows the upstream with each sync: changed, new and removed products', async () => {
  const workspace = await createWorkspace(desk);
  const before = await workspace.api.get<{ results: Json[] }>(path);
  const account = shop(workspace);
  const [shovel] = account.products;
  if (shovel) Object.assign(shovel, { price: '$29.90', availability: 'Out of Stock' });
  account.products = account.products.filter((product) => product.retailer_id !== 'GG-HOSE');
  account.products.push({
    ...(shovel as Product),
    id: '99001',
    retailer_id: 'GG-RAKE',
    name: 'Rake',
    url: 'javascript:1',
  });
  expect(await syncWorkspace(workspace.ctx, { catalogue: true })).toMatchObject({ products: 4, products_deleted: 1 });
  const after = await workspace.api.get<{ results: Json[] }>(path);
  const find = (list: Json[], id: string): Json | undefined => list.find((item) => item['retailer_id'] === id);
  expect(find(after.body.results, 'GG-HOSE')).toBeUndefined();
  expect(find(after.body.results, 'GG-RAKE')).toMatchObject({ name: 'Rake', url: '' });
  expect(find(after.body.results, 'GG-SHOVEL')).toMatchObject({
    id: find(before.body.results, 'GG-SHOVEL')?.['id'],
    price: '$29.90',
    availability: 'out of stock',
  });
  const seeds = [find(before.body.results, 'GG-SEEDS'), find(after.body.results, 'GG-SEEDS')];
  expect(seeds[0]?.['updated_at']).toBe(seeds[1]?.['updated_at']);
  expect(String(seeds[0]?.['synced_at']) < String(seeds[1]?.['synced_at'])).toBe(true);
});

it('reads catalogues of more than one page, and one product twice', async () => {
  const workspace = await createWorkspace(desk);
  const account = shop(workspace);
  const [first] = account.products;
  account.products = Array.from({ length: 205 }, (_, index) => ({
    ...(first as Product),
    id: `${index + 1}`,
    retailer_id: `P-${Math.min(index, 203)}`,
  }));
  expect(await syncWorkspace(workspace.ctx, { catalogue: true })).toMatchObject({ products: 205, products_deleted: 4 });
  expect((await workspace.api.get(path)).body['count']).toBe(204);
});

it('keeps what is stored when the upstream does not give the catalogue, and syncs the rest', async () => {
  const workspace = await createWorkspace(desk);
  const armed = desk.sandbox.faults.add({ kind: 'error', code: 10, path: '/product_catalogs' });
  const result = await syncWorkspace(workspace.ctx, { catalogue: true });
  desk.sandbox.faults.clear(armed.id);
  expect(result).toMatchObject({ phone_numbers: 2, products: 0, products_deleted: 0 });
  expect(result.skipped).toEqual([expect.stringMatching(/^products: /)]);
  expect(await names(workspace)).toHaveLength(4);
});

it('is read by the regular sync once an hour only', async () => {
  const workspace = await createWorkspace(desk);
  shop(workspace).products.length = 1;
  const syncDue = async (age: string): Promise<void> => {
    await desk.runtime.db.rows(
      `UPDATE business_accounts SET synced_at = NULL, catalogue_synced_at = now() - $age::interval
        WHERE workspace_id = $id`,
      { id: workspace.id, age },
    );
    await syncAllDue(desk.runtime);
  };
  await syncDue('50 minutes');
  expect(await names(workspace)).toHaveLength(4);
  await syncDue('70 minutes');
  expect(await names(workspace)).toHaveLength(1);
});
