import { createSession, type TestSession } from './members';
import { unique } from './unique';
import type { TestWorkspace } from './workspaces';

type Json = Record<string, unknown>;

export const macrosPath = '/api/v1/macros/';

const sessions = new WeakMap<TestWorkspace, Promise<TestSession>>();

/** Returns the owner's dashboard session, which may write macros. */
export function ownerSession(workspace: TestWorkspace): Promise<TestSession> {
  const known = sessions.get(workspace) ?? createSession(workspace.owner);
  sessions.set(workspace, known);
  return known;
}

/** Saves a macro over REST; gives its id. */
export async function createMacro(
  workspace: TestWorkspace,
  actions: readonly Json[],
  name = `Macro ${unique()}`,
): Promise<number> {
  const { api } = await ownerSession(workspace);
  const { status, body } = await api.post(macrosPath, { name, actions });
  if (status !== 201) throw new Error(`the macro was refused: ${JSON.stringify(body)}`);
  return body.id;
}

/** Returns one step. */
export function step(type: string, params: Json = {}): Json {
  return { type, params };
}
