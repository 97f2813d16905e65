'use strict';

/** Preloaded by a process (`node --require`) whose clock shall be wrong by CLOCK_SHIFT_MS. Timers run as always. */
const shiftMs = Number(process.env['CLOCK_SHIFT_MS']);

globalThis.Date = new Proxy(Date, {
  construct: (target, given, newTarget) =>
    Reflect.construct(target, given.length === 0 ? [target.now() + shiftMs] : given, newTarget),
  apply: (target) => new target(target.now() + shiftMs).toString(),
  get: (target, key) => (key === 'now' ? () => target.now() + shiftMs : Reflect.get(target, key)),
});
