import { randomBytes } from 'node:crypto';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import type { Activities } from '../../workflows/contract';
import { bundlePath } from './settings';

/** What a fake stands in for; anything that the test did not expect to be called fails loudly. */
export function fakeActivities(fakes: Partial<Activities>): Activities {
  const unexpected = (name: string) => (): Promise<never> => Promise.reject(new Error(`${name} was not expected here`));
  return {
    wakeConversation: unexpected('wakeConversation'),
    reopenConversation: unexpected('reopenConversation'),
    breachSla: unexpected('breachSla'),
    prepareStageMove: unexpected('prepareStageMove'),
    listStageRecipients: unexpected('listStageRecipients'),
    notifyStageRecipient: unexpected('notifyStageRecipient'),
    completeStageMove: unexpected('completeStageMove'),
    deliverNextMessage: unexpected('deliverNextMessage'),
    wakeOverdueConversations: unexpected('wakeOverdueConversations'),
    settleStaleClaims: unexpected('settleStaleClaims'),
    settleUnknownDeliveries: unexpected('settleUnknownDeliveries'),
    rearmLostIntents: unexpected('rearmLostIntents'),
    syncUpstream: unexpected('syncUpstream'),
    removeExpiredRows: unexpected('removeExpiredRows'),
    openBroadcast: unexpected('openBroadcast'),
    planBroadcast: unexpected('planBroadcast'),
    sendBroadcastChunk: unexpected('sendBroadcastChunk'),
    endBroadcast: unexpected('endBroadcast'),
    unscheduleBroadcast: unexpected('unscheduleBroadcast'),
    confirmBroadcast: unexpected('confirmBroadcast'),
    ...fakes,
  };
}

/** A worker over fake activities on any test environment, for the time of `work`. */
export async function withFakes<T>(env: TestWorkflowEnvironment, fakes: Partial<Activities>, work: (taskQueue: string) => Promise<T>): Promise<T> {
  const taskQueue = `fakes-${randomBytes(6).toString('hex')}`;
  const worker = await Worker.create({ connection: env.nativeConnection, taskQueue, workflowBundle: { codePath: bundlePath }, activities: fakeActivities(fakes), identity: 'fakes' });
  return worker.runUntil(() => work(taskQueue));
}
