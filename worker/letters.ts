import type { Runtime } from '../api/core/runtime';
import { sendLetter } from '../api/services/identity/members/mailing';
import { startLoop, type Loop } from './loop';

/** Sends the mails that wait, one after the other: a slow server of mail holds nobody but this loop. */
export function startLetters(runtime: Runtime): Loop {
  return startLoop({
    name: 'mails',
    logger: runtime.logger,
    idleMs: runtime.process.timing.looks.lettersMs,
    step: () => sendLetter(runtime),
  });
}
