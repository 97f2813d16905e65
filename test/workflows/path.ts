import { ApplicationFailure } from '@temporalio/common';
import type { WorkflowHandleWithFirstExecutionRunId } from '@temporalio/client';
import type { Activities } from '../../workflows/activityTypes';
import type { WorkflowInputs } from '../../workflows/contract';

/** One way through a workflow: what its activities answer, and what happens to it from outside. */
export interface Path {
  readonly name: string;
  readonly workflow: keyof WorkflowInputs;
  readonly fakes: () => Partial<Activities>;
  readonly run: (begin: Begin) => Promise<void>;
}

/** Starts the path's workflow; the handle is for signals. */
type Begin = (input?: unknown) => Promise<WorkflowHandleWithFirstExecutionRunId>;

/** Returns a time as deadlines carry it. */
export const isoTime = (ms: number): string => new Date(ms).toISOString();

/** Answers in turn; the last one stays. */
export function inTurn<T>(...answers: (() => T | Promise<T>)[]): () => Promise<T> {
  return async () => {
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    if (!answer) throw new Error('no answer is left');
    return answer();
  };
}

/** Refuses for good. */
export const refuse = (): never => {
  throw ApplicationFailure.nonRetryable('Not found.', 'not_found');
};

/** Waits until the workflow has completed. */
export async function settled(handle: WorkflowHandleWithFirstExecutionRunId): Promise<void> {
  await handle.result();
}

/** Waits. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
