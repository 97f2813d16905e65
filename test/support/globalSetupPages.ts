import { unpackChromium } from './browser';
import setup from './globalSetup';

/** Makes what tests that open pages need beside the database: the browser. Jest calls each set-up once per run. */
export default async function setupPages(): Promise<void> {
  await setup();
  await unpackChromium();
}
