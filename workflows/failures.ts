import { ActivityFailure, ApplicationFailure, setWorkflowOptions, type Workflow } from '@temporalio/workflow';

/**
 * Makes an ordinary Error in a workflow's code end that workflow as failed. Otherwise Temporal would retry the same
 * step for ever without a sign; rows hold the truth, and the reconcile sweep acts on them.
 */
export function failsOnErrors(workflow: Workflow): void {
  setWorkflowOptions({ failureExceptionTypes: [Error] }, workflow);
}

/** Returns the error code of a refusal that asking again cannot change; null for any other failure. */
export function refusalOf(error: unknown): string | null {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  return cause instanceof ApplicationFailure && cause.nonRetryable === true ? (cause.type ?? 'refused') : null;
}
