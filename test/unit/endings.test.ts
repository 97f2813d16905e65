import { endWithTest } from '../support/endings';

const ended: string[] = [];
const ending = (name: string) => (): Promise<unknown> => Promise.resolve(ended.push(name));

let isOfTest: boolean;
beforeAll(() => (isOfTest = endWithTest(ending('before all'))));

describe('what a test opens', () => {
  it('is open while it runs', () => {
    expect([isOfTest, endWithTest(ending('first')), endWithTest(ending('second'))]).toEqual([false, true, true]);
    expect(ended).toEqual([]);
  });

  it('is closed behind it, what came last first', () => expect(ended).toEqual(['second', 'first']));
});
