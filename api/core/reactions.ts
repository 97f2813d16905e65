/** What follows a change: a process registers it, and the resource, which knows nothing of processes, calls it. */
interface Reaction<Given extends readonly unknown[]> {
  /** Says what follows; a process does it once, as it is loaded, for all processes of the program. */
  register(react: (...given: Given) => Promise<unknown>): void;
  /** Does it. Throws where nobody has registered: the program has not loaded what it needs. */
  happen(...given: Given): Promise<void>;
}

/** Declares what may follow a change. */
export function reaction<Given extends readonly unknown[]>(change: string): Reaction<Given> {
  let registered: ((...given: Given) => Promise<unknown>) | undefined;
  return {
    register(react) {
      if (registered) throw new Error(`Something follows ${change} already.`);
      registered = react;
    },
    async happen(...given) {
      if (!registered) throw new Error(`Nobody has said what follows ${change}.`);
      await registered(...given);
    },
  };
}
