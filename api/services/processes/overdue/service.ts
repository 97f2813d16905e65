import type { Runtime } from '../../../core/runtime';
import { someOverdueSnoozeSql, wakeOverdue } from '../../resources/conversations/snooze';
import { sendOverdue, someOverdueMessageSql } from '../outbound/sendLater';
import { judgeOverdue, someOverdueWaitSql } from '../ruleTimers/dueWaits';

interface Overdue {
  readonly snoozes: boolean;
  readonly messages: boolean;
  readonly waits: boolean;
}

/**
 * Does what timers should have done by now: wakes conversations, sends the messages for later, judges the waits of
 * rules. Their timers wait behind a crowd, or are lost. One look for all, which costs nothing while nothing is overdue.
 * Called by a loop of the workers (`worker/loops.ts`). Returns whether there may be more at once.
 */
export async function passOverdue(runtime: Runtime): Promise<boolean> {
  // SQL, of all workspaces at once and of three tables: each condition is that of its owner.
  const found = await runtime.db.row<Overdue>(
    `SELECT ${someOverdueSnoozeSql(runtime)} AS snoozes, ${someOverdueMessageSql(runtime)} AS messages,
       ${someOverdueWaitSql(runtime)} AS waits`,
  );
  let passed = 0;
  if (found?.snoozes) passed += await wakeOverdue(runtime);
  if (found?.messages) passed += await sendOverdue(runtime);
  if (found?.waits) passed += await judgeOverdue(runtime);
  return passed > 0;
}
