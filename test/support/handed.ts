/** Returns a setting that `npm test` hands over. */
export function testSetting(
  name: 'TEST_DATABASE_URL' | 'TEST_TEMPORAL_ADDRESS' | 'TEST_TEMPORAL_CLI' | 'TEST_TEMPLATE_DATABASE',
): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: run \`npm test\`, which starts what the tests need.`);
  return value;
}
