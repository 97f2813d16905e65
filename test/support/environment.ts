import vm from 'node:vm';
import type { JestEnvironment, JestEnvironmentConfig } from '@jest/environment';
import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';

/** Stands for the context of this process. */
const here = {} as vm.Context;

const { compileFunction } = vm;
// jest compiles every module by this, and has no word for a context that was there before.
vm.compileFunction = (code, params, { parsingContext, ...options } = {}) =>
  compileFunction(code, params, {
    ...options,
    ...(parsingContext && parsingContext !== here ? { parsingContext } : {}),
  });

/**
 * Runs test files in the context of the process, as the product runs. In one that jest makes, each look at a global
 * name is a call of C++: there a file of 100,000 rows takes 11 s of a processor to read, and half a second here. What
 * a file changes of the global object, the settings and the end of the process is put back behind it.
 */
export default class ProcessEnvironment implements JestEnvironment<unknown> {
  readonly global = globalThis as unknown as JestEnvironment['global'];
  readonly moduleMocker = new ModuleMocker(globalThis);
  /** The older kind, which no test asks for. */
  readonly fakeTimers = null;
  fakeTimersModern: ModernFakeTimers | null;
  private readonly putBack = [keep(globalThis), keep(process.env), keep(process, ['exit'])];

  constructor({ projectConfig }: JestEnvironmentConfig) {
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  }

  getVmContext(): vm.Context {
    return here;
  }

  exportConditions(): string[] {
    return ['node', 'node-addons'];
  }

  setup(): Promise<void> {
    return Promise.resolve();
  }

  teardown(): Promise<void> {
    this.fakeTimersModern?.dispose();
    this.fakeTimersModern = null;
    for (const putBack of this.putBack) putBack();
    return Promise.resolve();
  }
}

/** Returns what makes properties of an object, all unless told, what they are now. */
function keep(of: object, only?: readonly PropertyKey[]): () => void {
  const keys = (): readonly PropertyKey[] => only ?? Reflect.ownKeys(of);
  const kept = new Map(keys().map((key) => [key, Reflect.getOwnPropertyDescriptor(of, key)]));
  return () => {
    for (const key of keys()) if (!kept.has(key)) Reflect.deleteProperty(of, key);
    for (const [key, property] of kept) if (property) Reflect.defineProperty(of, key, property);
  };
}
