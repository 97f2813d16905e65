import { playAgents } from '../agents/play';

playAgents(
  ['sees lists in another order', 'repeats', 'careless'],
  [
    { level: 'approval', tries: 3 },
    { level: 'draft', tries: 1 },
    { level: 'draft', tries: 3 },
  ],
);
