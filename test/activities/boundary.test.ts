import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ApplicationFailure } from '@temporalio/common';
import { toFailure, translated } from '../../activities/boundary';
import { AppError, conflict, invalidField, missingScope, notFound } from '../../api/core/http/errors';
import { createDesk } from '../support/desk';
import { root } from '../support/settings';
import type { TestApi } from '../support/api';
import type { TestRuntime } from '../support/runtime';
import { sharedDesk } from '../support/sharedDesk';
import { createActivities } from '../../activities';
import { sweepNames } from '../../workflows/contract';

const failureOf = (error: unknown): ApplicationFailure => {
  const failure = toFailure(error);
  expect(failure).toBeInstanceOf(ApplicationFailure);
  return failure as ApplicationFailure;
};

describe('the activity boundary', () => {
  it.each([
    ['validation', invalidField('to', 'This field is required.')],
    ['forbidden', missingScope('chat.view')],
    ['not_found', notFound()],
    ['conflict', conflict('It is running already.')],
  ])('makes %s a failure that nobody retries', (type, error) => {
    expect(failureOf(error)).toMatchObject({ type, nonRetryable: true, message: error.message });
  });

  it.each(['unavailable', 'throttled'] as const)('lets %s say when to come back', (code) => {
    expect(failureOf(new AppError(code, 'Busy.', { retryAfter: 7 }))).toMatchObject({
      type: code,
      nonRetryable: false,
      nextRetryDelay: 7_000,
    });
  });

  it('lets other errors through as they are', async () => {
    const error = new TypeError('no such thing');
    const { failing } = translated({ failing: () => Promise.reject(error) });
    await expect(failing()).rejects.toBe(error);
  });
});

describe('activities over a database', () => {
  let test: TestRuntime;
  let shared: TestApi;
  beforeAll(async () => {
    shared = await sharedDesk('no sandbox');
    test = shared.test;
  });
  afterAll(() => shared.close());

  it('tell nothing of a statement that failed', async () => {
    const { failing } = translated({
      failing: () =>
        test.runtime.db.rows('SELECT secret_column FROM workspaces WHERE name = $name', { name: 'private' }),
    });
    const failure: unknown = await failing().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ApplicationFailure);
    expect(failure).toMatchObject({ message: 'SequelizeDatabaseError', nonRetryable: false, cause: undefined });
    expect(JSON.stringify(failure)).not.toContain('secret_column');
  });

  it('exist for every name of the contract', () => {
    const contract = readFileSync(path.join(root, 'workflows', 'activityTypes.ts'), 'utf8');
    const names = [...contract.slice(contract.indexOf('export interface Activities')).matchAll(/^ {2}(\w+)\(/gm)].map(
      (match) => match[1],
    );
    expect(names.length).toBeGreaterThan(8);
    expect(Object.keys(createActivities(test.runtime)).sort()).toEqual([...names, ...sweepNames].sort());
  });

  it('wake only the snooze that they were told of, once, and not before its time', async () => {
    const desk = await createDesk(test);
    const activities = createActivities(test.runtime);
    const handle = await desk.customer('15550004001');
    await desk.snooze(handle, new Date(Date.now() + 3_600_000));
    const { id } = await desk.conversation(handle);
    const target = { workspaceId: desk.ctx.workspaceId, conversationId: id };
    expect(await activities.wakeConversation({ ...target, version: 1 })).toMatchObject({ kind: 'not_due' });
    expect(await activities.wakeConversation({ ...target, version: 2 })).toEqual({ kind: 'superseded' });
    await test.runtime.db.rows(`UPDATE conversations SET snoozed_until = now() - interval '1 second' WHERE id = $id`, {
      id,
    });
    expect(await activities.wakeConversation({ ...target, version: 1 })).toEqual({ kind: 'done' });
    // Asked again, because its answer was lost, it says the same.
    expect(await activities.wakeConversation({ ...target, version: 1 })).toEqual({ kind: 'done' });
    expect(await activities.deliverNextMessage(target)).toEqual({ kind: 'idle' });
  });
});
