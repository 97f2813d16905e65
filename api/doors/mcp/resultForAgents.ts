import type { Ctx } from '../../core/context';
import type { Credential } from '../../services/identity/apiKeys/authenticate';
import { lean, type Format } from './messagesForAgents';
import { byClock, isTimeless } from './localTimes';
import { bordered } from './untrustedText';
import { fitted, present, type Size } from './present';
import { halved, type Tool } from './tools';

type Json = Record<string, unknown>;

/** Largest result in characters, as text and structured together; clients cut off at about 25,000 tokens. */
const maxResult = 60_000;

/** Whom a result is told, and how much of it. */
interface Told {
  readonly ctx: Ctx;
  readonly credential: Pick<Credential, 'timezone'>;
  readonly tool: Tool;
  readonly format: Format;
}

/** Returns what the agent is told of a result, with texts and lists of this size. */
function made(to: Told, result: unknown, size?: Size): Json {
  const { name } = to.tool.definition;
  const told = lean(name, present(result, size), to.format);
  return isTimeless(name) ? told : byClock(to.ctx.runtime.clock.now(), to.credential.timezone, told);
}

const fitsFor =
  ({ tool }: Told) =>
  (told: Json): boolean =>
    JSON.stringify(told).length + bordered(tool.definition.name, told).text.length <= maxResult;

/** Returns what the agent is told of a result that is there already. */
export function tell(to: Told, result: unknown): Json {
  return fitted((size) => made(to, result, size), fitsFor(to));
}

/** Runs a read until its result fits: fewer items rather than one that the client cuts off. */
export async function readBounded(
  to: Told & { readonly input: Json },
): Promise<{ readonly result: unknown; readonly told: Json }> {
  for (let given = to.input; ;) {
    const result = await to.tool.operation.run(to.ctx, given);
    const fewer = fitsFor(to)(made(to, result)) ? null : halved(to.tool, given);
    if (!fewer) return { result, told: tell(to, result) };
    given = fewer;
  }
}
