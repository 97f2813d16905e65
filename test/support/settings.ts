import path from 'node:path';

export const root = path.join(__dirname, '..', '..');

/** The workflow bundle of the last build; `npm test` builds before it tests. */
export const bundlePath = path.join(root, 'dist', 'worker', 'workflowBundle.js');

/** A setting that `npm test` hands over. */
export function testSetting(name: 'TEST_DATABASE_URL' | 'TEST_TEMPORAL_ADDRESS' | 'TEST_TEMPORAL_CLI' | 'TEST_TEMPLATE_DATABASE'): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: run \`npm test\`, which starts what the tests need.`);
  return value;
}
