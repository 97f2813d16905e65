import { startApi, type TestApi } from '../support/api';
import { longTextsIn } from '../support/longTexts';

let desk: TestApi;
beforeAll(async () => {
  desk = await startApi();
});
afterAll(() => desk.close());

// All others, and what customers write: test/faults/longTexts.test.ts.
longTextsIn('few', () => desk);
