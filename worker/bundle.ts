import { readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';

/** Every cached workflow holds its own copy of these modules' state: growth beyond this is a mistake somewhere. */
const largestBundleBytes = 700 * 1024;

/** Packages that workflow code may load: the SDK, and what the SDK loads itself. */
const allowedPackages: ReadonlySet<string> = new Set([
  '@temporalio/common',
  '@temporalio/workflow',
  'long',
  'ms',
  'nexus-rpc',
]);

/** The workflows' compiled entry and the bundle's place beside this file. */
const workflowsPath = path.join(__dirname, '..', 'workflows', 'index.js');
const bundlePath = path.join(__dirname, 'workflowBundle.js');

/** Names of npm packages whose code is in the bundle. */
export function packagesIn(code: string): string[] {
  const names = [...code.matchAll(/node_modules\/((?:@[^/"'\s]+\/)?[^/"'\s]+)\//g)].map((match) => match[1] ?? '');
  return [...new Set(names)].filter((name) => name !== '').sort();
}

/** Our own modules in the bundle, as paths. */
export function ownModulesIn(code: string): string[] {
  const names = [...code.matchAll(/^\/\*{3}\/ "([^"]+\.js)"/gm)].map((match) => match[1] ?? '');
  return names.filter((name) => !name.includes('node_modules/'));
}

/** Returns what is wrong with a bundle, as sentences. */
export function faultsOf(code: string): string[] {
  const faults = packagesIn(code)
    .filter((name) => !allowedPackages.has(name))
    .map((name) => `it contains the package ${name}, which workflow code must not load`);
  for (const module of ownModulesIn(code)) {
    if (!/(^|\/)workflows\/[^/]+\.js$/.test(module))
      faults.push(`it contains ${module}, which is not a workflow module`);
  }
  const bytes = Buffer.byteLength(code);
  if (bytes > largestBundleBytes)
    faults.push(`it has ${bytes} bytes without its source map, more than ${largestBundleBytes}`);
  return faults;
}

function withoutSourceMap(code: string): string {
  const at = code.lastIndexOf('//# sourceMappingURL=');
  return at < 0 ? code : code.slice(0, at);
}

/** Builds the bundle from the compiled workflows; throws when something sneaked in. */
async function buildBundle(): Promise<{ path: string; bytes: number }> {
  // Evaluated once for all workflows instead of once for each: they keep no state outside their functions
  // (architecture.test.ts).
  const preloadModules = readdirSync(path.dirname(workflowsPath))
    .filter((name) => name.endsWith('.js'))
    .map((name) => path.join(path.dirname(workflowsPath), name));
  const { code } = await bundleWorkflowCode({ workflowsPath, preloadModules, logger: new DefaultLogger('WARN') });
  const faults = faultsOf(withoutSourceMap(code));
  if (faults.length > 0) throw new Error(`The workflow bundle is not acceptable: ${faults.join('; ')}.`);
  await writeFile(bundlePath, code);
  return { path: bundlePath, bytes: Buffer.byteLength(code) };
}

if (require.main === module) {
  buildBundle().then(
    ({ path: file, bytes }) =>
      process.stdout.write(`workflow bundle: ${path.relative(process.cwd(), file)}, ${Math.round(bytes / 1024)} KiB\n`),
    (error: unknown) => {
      process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
      process.exitCode = 1;
    },
  );
}
