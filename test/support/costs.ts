import { costNow, costSince, isCounted, noteCost, type Cost } from '../../dev/tests/costs';

/** Notes what a file and each of its tests take, where that is asked for: `declare` declares them. */
export function countFile(name: string, declare: () => void): void {
  if (!isCounted) return declare();
  counted('file', name, declare, true);
}

/** Notes what a lane takes, or a file that is run alone, with each of its tests. */
export function countRun(name: string): void {
  counted(name.startsWith('test/lanes/') ? 'lane' : 'file', name, () => undefined);
}

function counted(kind: 'lane' | 'file', name: string, declare: () => void, isPart = false): void {
  const folder = process.env['TEST_TMP'];
  if (!folder) return declare();
  // A file that jest runs is loaded after this, its packages and the product with it.
  let all = costNow();
  let one: Cost | undefined;
  if (isPart) beforeAll(() => void (all = costNow()));
  if (kind === 'file') beforeEach(() => void (one = costNow()));
  declare();
  // After those that were declared before: hooks run in their order.
  if (kind === 'file')
    afterEach(() => {
      const test = expect.getState().currentTestName ?? '';
      if (one) noteCost(folder, { kind: 'test', name: test, ...costSince(one) });
    });
  afterAll(() => noteCost(folder, { kind, name, ...costSince(all) }));
}
