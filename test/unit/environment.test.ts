import vm from 'node:vm';
import ProcessEnvironment from '../support/environment';

const outside = globalThis as Record<string, unknown>;

test('tests run in the context of the process, as the product runs', () => {
  expect(vm.runInThisContext('globalThis')).toBe(globalThis);
  expect(vm.runInThisContext('Error')).toBe(Error);
});

test('what a file changes of the global object, the settings and `process.exit` is put back behind it', async () => {
  const [{ fetch }, { exit }] = [globalThis, process];
  const environment = new ProcessEnvironment({ projectConfig: { fakeTimers: {} } } as never);
  Object.assign(globalThis, { left: 'behind', fetch: () => undefined });
  Object.assign(process.env, { LEFT_BEHIND: '1', PATH: '/nowhere' });
  process.exit = (() => undefined) as never;
  const path = process.env['PATH'];
  await environment.teardown();
  expect(outside['left']).toBeUndefined();
  expect([globalThis.fetch, process.exit]).toEqual([fetch, exit]);
  expect([process.env['LEFT_BEHIND'], process.env['PATH'] === path]).toEqual([undefined, false]);
});
