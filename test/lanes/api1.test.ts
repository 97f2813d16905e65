import { lane } from './lane';

lane(['api', 'models', 'activities'], 1, 9);
