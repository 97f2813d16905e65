import Ajv2020 from 'ajv/dist/2020';
import type { Autonomy } from '../../api/core/http/access';
import { createWorkspace, type TestWorkspace } from '../factories/workspaces';
import { createAgent, type Agent, type ToolAnswer } from '../support/agent';
import type { TestApi } from '../support/api';

export type Json = Record<string, unknown>;

/** What an agent works with: the tools, and nothing of the world behind them. */
export interface Hands {
  /** The instructions that it got when it connected. */
  readonly instructions: string;
  /** Calls a tool and gives its result; what a careless agent does wrong on the way must end in a refusal. */
  use(tool: string, args?: Json): Promise<Json>;
  /** Calls a tool as it is told to, whatever comes of it. */
  attempt(tool: string, args: Json): Promise<ToolAnswer>;
  /** The items of a list. */
  list(tool: string, args?: Json): Promise<Json[]>;
}

/** One job: what there is, what the agent does about it, and what has become of it in the end. */
export interface Scenario<World> {
  readonly name: string;
  readonly level?: Autonomy;
  /** Makes what the job is about; gives what the agent is told of it. */
  world(workspace: TestWorkspace): Promise<World>;
  play(hands: Hands, world: World): Promise<unknown>;
  /** Reads the end from the database and the platform, without ids that differ from run to run. */
  end(workspace: TestWorkspace, world: World, said: unknown): Promise<unknown>;
  readonly expected: unknown;
}

/** Ties the three parts of a scenario to what its world is. */
export function scenario<World>(given: Scenario<World>): Scenario<never> {
  return given as unknown as Scenario<never>;
}

/** How an agent works. The careful one does what it means to, and nothing else. */
export type Seed = 'careful' | 'sees lists in another order' | 'repeats' | 'careless';

interface Schema {
  readonly required?: readonly string[];
  readonly properties: Readonly<Record<string, { readonly type?: string }>>;
}

/** Plays a scenario once, in a workspace of its own. */
export async function run(desk: TestApi, given: Scenario<never>, seed: Seed): Promise<unknown> {
  const workspace = await createWorkspace(desk);
  const world = await given.world(workspace);
  const key = await workspace.key(['all'], { autonomy: given.level ?? 'autonomous' });
  const said = await given.play(await connectHands(createAgent(key.api), seed), world);
  await desk.settled();
  return given.end(workspace, world, said);
}

async function connectHands(agent: Agent, seed: Seed): Promise<Hands> {
  const { body } = await agent.rpc({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'scripted', version: '1' } },
  });
  const tools = new Map((await agent.tools()).map((tool) => [String(tool['name']), tool]));
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  let calls = 0;
  const attempt = async (tool: string, args: Json): Promise<ToolAnswer> => {
    const { readOnlyHint } = tools.get(tool)?.['annotations'] as { readOnlyHint?: boolean };
    const writes = readOnlyHint === false && args['dry_run'] !== true;
    calls += 1;
    const key = writes ? `call-${calls}` : undefined;
    const answer = await agent.call(tool, args, key);
    if (seed !== 'repeats' || answer.isError) return answer;
    // As if the answer had been lost: the same again.
    const again = await agent.call(tool, args, key);
    const isSame = JSON.stringify(again.json) === JSON.stringify(answer.json);
    if (writes && (!again.isRepeat || !isSame)) throw new Error(`${tool} was done twice`);
    return again;
  };
  const use = async (tool: string, args: Json = {}): Promise<Json> => {
    if (seed === 'careless') await refuseAll(agent, tool, mistakes(tools.get(tool)?.['inputSchema'] as Schema, args));
    // What they mean to call is right by what the tool says of itself.
    const schema = tools.get(tool)?.['inputSchema'] as Json;
    if (!ajv.validate(schema, args)) throw new Error(`${tool} ${JSON.stringify(args)}: ${ajv.errorsText()}`);
    const answer = await attempt(tool, args);
    if (answer.isError) throw new Error(`${tool} ${JSON.stringify(args)} was refused: ${answer.text}`);
    return answer.json;
  };
  return {
    instructions: String(body.result?.['instructions']),
    use,
    attempt,
    async list(tool, args) {
      const results = (await use(tool, args))['results'] as Json[];
      return seed === 'sees lists in another order' ? [...results].reverse() : results;
    },
  };
}

/** The calls of one who forgets an argument, misspells one, gives a text for a number, or makes an id up. */
function mistakes(schema: Schema, args: Json): Json[] {
  const given = Object.entries(args);
  const [first] = given;
  const rest = (name: string): Json => Object.fromEntries(given.filter(([key]) => key !== name));
  return [
    ...(schema.required ?? []).map(rest),
    ...(first ? [{ ...rest(first[0]), [`${first[0]}s_`]: first[1] }] : []),
    ...given
      .filter(([name, value]) => schema.properties[name]?.type === 'integer' && typeof value === 'number')
      .map(([name]) => ({ ...args, [name]: 'the first one' })),
    ...given
      .filter(([name]) => /^(id|ticket_id|chat_id)$/.test(name))
      .map(([name]) => ({ ...args, [name]: 987_654_321 })),
    ...given.filter(([name]) => name === 'receiver_id').map(([name]) => ({ ...args, [name]: '4900000000' })),
  ];
}

/** Makes calls that must all be refused, each with a text that says more than that it failed. */
async function refuseAll(agent: Agent, tool: string, wrong: readonly Json[]): Promise<void> {
  for (const args of wrong) {
    const { isError, text } = await agent.call(tool, args);
    if (!isError) throw new Error(`${tool} took ${JSON.stringify(args)}`);
    if (text.length < 20) throw new Error(`${tool} refused ${JSON.stringify(args)} with no more than "${text}"`);
  }
}

/** Returns what the platform was given to send for a workspace, as recipient and text. */
export function reached(workspace: TestWorkspace): { to: string; body: string }[] {
  const { phoneNumberId, secondPhoneNumberId } = workspace.account;
  return workspace.server.sandbox.state.sent
    .filter(({ phone_number_id: from }) => [phoneNumberId, secondPhoneNumberId].includes(from))
    .map(({ to, body }) => ({ to: String(to), body: JSON.stringify(body) }));
}
