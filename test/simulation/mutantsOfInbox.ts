import type { Mutant } from './mutants';

const claim = 'api/services/processes/events/claim.ts';
const service = 'api/services/processes/events/service.ts';
const insert = 'api/services/resources/messages/rows/insert.ts';

/** Rules of what comes in. */
export const mutantsOfInbox: readonly Mutant[] = [
  {
    name: 'several takers of one customer',
    isFound: true,
    theme: 'inbound',
    rule: 'a customer whose first event is leased or locked is left alone',
    file: claim,
    edits: [["free: (row) => `(${isLone} OR id = (${lineSql(row, '1')}))`", 'free: () => `true`']],
  },
  {
    name: 'gaps in a line',
    isFound: true,
    theme: 'rushes',
    seed: 9,
    rule: 'what stands behind an event that another one has is not taken',
    file: claim,
    edits: [['WHERE had\n', 'WHERE suspect IS NOT NULL\n']],
  },
  {
    name: 'much of one customer',
    isFound: true,
    theme: 'rushes',
    rule: 'a claim takes a few events of one customer',
    file: claim,
    edits: [['const maxOfOne = 10;', 'const maxOfOne = 1_000;']],
  },
  {
    name: 'leases are not renewed',
    isFound: true,
    theme: 'rushes',
    seed: 8,
    rule: 'a lease lasts as long as the work',
    file: claim,
    edits: [['eventLeaseMs / 4);', 'eventLeaseMs * 1_000);']],
  },
  {
    name: 'no place for what is tried again',
    isFound: true,
    theme: 'inbound',
    rule: 'an event that is tried again holds its customer for a while',
    file: claim,
    edits: [["clock_timestamp() + interval '10 seconds')", "clock_timestamp() - interval '1 second')"]],
  },
  {
    name: 'followers of a failure go on',
    isFound: true,
    theme: 'rushes',
    rule: 'those behind an event that is tried again are given back',
    file: service,
    edits: [['if (waits) return giveBack(runtime, left.slice(index + 1));', 'if (waits && index < 0) return;']],
  },
  {
    name: 'messages of the past before the last one',
    theme: 'inbound',
    rule: 'a message stands behind the last one of its conversation',
    file: insert,
    edits: [['greatest(m.at, (', 'coalesce(m.at, (']],
  },
];
