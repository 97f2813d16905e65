import type { Runtime } from '../api/core/runtime';
import { sendLetter } from '../api/services/identity/members/mailing';
import { startLoop, type Loop } from './loop';

/** Sends the waiting mails one by one: a slow mail server delays this loop only. */
export function startLetters(runtime: Runtime): Loop {
  return startLoop({
    name: 'mails',
    logger: runtime.logger,
    idleMs: runtime.process.timing.looks.lettersMs,
    step: () => sendLetter(runtime),
  });
}
