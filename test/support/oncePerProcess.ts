/**
 * Makes a value for all test files of a jest process: modules of test/ are loaded anew for every file, the global scope
 * stays (test/support/jest). For what is costly to make and never changed.
 */
export function oncePerProcess<T extends object>(name: string, make: () => T): T {
  const kept = globalThis as unknown as Record<symbol, T | undefined>;
  return (kept[Symbol.for(`msgdesk ${name}`)] ??= make());
}
