import type { TestApi } from '../support/api';
import { fiftyAtOnce, narrow } from '../support/narrowPool';
import { sharedDesk } from '../support/sharedDesk';

let desk: TestApi;
beforeAll(async () => {
  desk = await sharedDesk('plain', narrow);
});
afterAll(() => desk.close());

fiftyAtOnce('others', () => desk);
