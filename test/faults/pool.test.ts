import type { TestApi } from '../support/api';
import { fiftyAtOnce, startNarrowApi } from '../support/narrowPool';

let desk: TestApi;
beforeAll(async () => {
  desk = await startNarrowApi();
});
afterAll(() => desk.close());

fiftyAtOnce('others', () => desk);
