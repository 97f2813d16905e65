import { playAgents } from './play';

// The other ways to work and to believe: test/faults/agents.test.ts.
playAgents(['careful'], [{ level: 'approval', tries: 1 }]);
