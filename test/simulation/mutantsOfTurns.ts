import type { Mutant } from './mutants';

const turns = 'api/core/db/workspaceTurnsSql.ts';
const permits = 'api/core/platform/permits.ts';
const decisions = 'api/services/delivery/decisions.ts';
const storeUpstream = 'api/services/resources/accounts/storeUpstream.ts';

/** Rules of workspaces that share what there is, and of stops by the platform. */
export const mutantsOfTurns: readonly Mutant[] = [
  {
    name: 'turns of the first alone',
    theme: 'stops',
    rule: 'a look takes from each workspace that has something due',
    file: turns,
    edits: [['${first(` AND ${of} > w.whose`)} n', '${first(` AND ${of} < w.whose`)} n']],
  },
  {
    name: 'permits for one alone',
    isFound: true,
    theme: 'turns',
    seed: 4,
    rule: 'slow answers to one workspace leave calls to the others',
    file: permits,
    edits: [['const partOfOne = 1 / 2;', 'const partOfOne = 1;']],
  },
  {
    name: 'stop is a refusal for good',
    isFound: true,
    theme: 'stops',
    rule: 'what a stop refused waits until it is lifted',
    file: decisions,
    edits: [["if (outcome.class === 'permanent') return null;", "if (outcome.class !== 'retry') return null;"]],
  },
  {
    name: 'stop is not lifted by a read',
    theme: 'stops',
    rule: 'a read that goes well shows that the token is taken again',
    file: storeUpstream,
    edits: [['const tokenRefusals = [0, 104, 190];', 'const tokenRefusals = [0, 104];']],
  },
];
