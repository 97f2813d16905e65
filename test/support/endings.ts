/*
 * What a test or a file has opened for itself ends with it. Read by jest before each file that it runs.
 *
 *   endWithTest(() => context.close());   // after the test that runs; false where none does, as in `beforeAll`
 *   endWithFile(() => browser.close());   // after the file that jest runs, which may be a lane
 */
type Ending = () => Promise<unknown>;

const ofTest: Ending[] = [];
const ofFile: Ending[] = [];
let isInTest = false;

async function end(endings: Ending[]): Promise<void> {
  for (const ending of endings.splice(0).reverse()) await ending();
}

beforeEach(() => void (isInTest = true));
afterEach(async () => {
  isInTest = false;
  await end(ofTest);
});
afterAll(() => end(ofFile));

/** Does it after the test that runs now; returns false where none runs. */
export function endWithTest(ending: Ending): boolean {
  if (isInTest) ofTest.push(ending);
  return isInTest;
}

/** Does it after all tests of the file that jest runs. */
export function endWithFile(ending: Ending): void {
  ofFile.push(ending);
}
