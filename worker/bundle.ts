import { readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { bundlePaths } from './bundlePaths';

/** Every cached workflow holds its own copy of these modules' state: growth beyond this is a mistake somewhere. */
const largestBytes = { plain: 700 * 1024, traced: 1_400 * 1024 };

/** Packages that workflow code may load: the SDK, and what the SDK loads itself. */
const allowedPackages: ReadonlySet<string> = new Set([
  '@temporalio/common',
  '@temporalio/workflow',
  'long',
  'ms',
  'nexus-rpc',
]);
/** Packages that only the bundle with tracing loads. */
const tracingPackages = /^@opentelemetry\/|^@temporalio\/interceptors-opentelemetry$/;

/** The workflows' compiled entry. */
const workflowsPath = path.join(__dirname, '..', 'workflows', 'index.js');
const interceptors = '@temporalio/interceptors-opentelemetry/lib/workflow-interceptors';

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

/** Returns as sentences what is wrong with a bundle. */
export function faultsOf(code: string, kind: keyof typeof bundlePaths = 'plain'): string[] {
  const faults = packagesIn(code)
    .filter((name) => !allowedPackages.has(name) && !(kind === 'traced' && tracingPackages.test(name)))
    .map((name) => `it contains the package ${name}, which workflow code must not load`);
  for (const module of ownModulesIn(code)) {
    if (!/(^|\/)workflows\/[^/]+\.js$/.test(module))
      faults.push(`it contains ${module}, which is not a workflow module`);
  }
  const bytes = Buffer.byteLength(code);
  if (bytes > largestBytes[kind])
    faults.push(`it has ${bytes} bytes without its source map, more than ${largestBytes[kind]}`);
  return faults;
}

function withoutSourceMap(code: string): string {
  const at = code.lastIndexOf('//# sourceMappingURL=');
  return at < 0 ? code : code.slice(0, at);
}

/** Builds the bundle from the compiled workflows; throws when it contains code that it must not. */
async function buildBundle(kind: keyof typeof bundlePaths): Promise<{ path: string; bytes: number }> {
  // Evaluated once for all workflows instead of once for each: they keep no state outside their functions
  // (architecture.test.ts).
  const preloadModules = readdirSync(path.dirname(workflowsPath))
    .filter((name) => name.endsWith('.js'))
    .map((name) => path.join(path.dirname(workflowsPath), name));
  const { code } = await bundleWorkflowCode({
    workflowsPath,
    preloadModules,
    workflowInterceptorModules: kind === 'traced' ? [require.resolve(interceptors)] : [],
    logger: new DefaultLogger('WARN'),
  });
  const faults = faultsOf(withoutSourceMap(code), kind);
  if (faults.length > 0) throw new Error(`The workflow bundle is not acceptable: ${faults.join('; ')}.`);
  await writeFile(bundlePaths[kind], code);
  return { path: bundlePaths[kind], bytes: Buffer.byteLength(code) };
}

async function buildAll(): Promise<void> {
  for (const kind of ['plain', 'traced'] as const) {
    const { path: file, bytes } = await buildBundle(kind);
    process.stdout.write(`workflow bundle: ${path.relative(process.cwd(), file)}, ${Math.round(bytes / 1024)} KiB\n`);
  }
}

if (require.main === module) {
  buildAll().catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  });
}
