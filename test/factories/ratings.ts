import type { TestCustomer } from './customers';
import type { TestWorkspace } from './workspaces';

type Json = Record<string, unknown>;

/** A button of a question. */
export interface Button {
  readonly id: string;
  readonly title: string;
}

/** Returns the questions that a customer was asked, the newest first. */
export async function questionsTo(workspace: TestWorkspace, { handle }: Pick<TestCustomer, 'handle'>): Promise<Json[]> {
  const { body } = await workspace.api.get(`/api/v1/conversations/${handle}/messages/`);
  return body.results.filter(({ source }) => source === 'satisfaction');
}

/** Returns the buttons of the last question, the best answer first. */
export async function buttonsOf(workspace: TestWorkspace, customer: TestCustomer): Promise<readonly Button[]> {
  const [question] = await questionsTo(workspace, customer);
  const body = question?.['body'] as { interactive: { action: { buttons: { reply: Button }[] } } };
  return body.interactive.action.buttons.map(({ reply }) => reply);
}

/** Returns the message of a customer who presses a button. */
export function pressed({ id, title }: Button): Json {
  return { type: 'interactive', interactive: { type: 'button_reply', button_reply: { id, title } } };
}

/** The customer presses a button of the last question. */
export async function press(
  workspace: TestWorkspace,
  customer: TestCustomer,
  place: 0 | 1 | 2,
  more: Json = {},
): Promise<void> {
  const button = (await buttonsOf(workspace, customer))[place];
  if (!button) throw new Error('the question has no such button');
  await customer.writes(pressed(button), more);
}
