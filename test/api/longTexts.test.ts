import type { TestApi } from '../support/api';
import { sharedDesk } from '../support/sharedDesk';
import { longTextsIn } from '../support/longTexts';

let desk: TestApi;
beforeAll(async () => {
  desk = await sharedDesk('plain');
});
afterAll(() => desk.close());

// All others, and what customers write: test/faults/longTexts.test.ts.
longTextsIn('few', () => desk);
