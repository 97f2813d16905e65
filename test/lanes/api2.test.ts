import { lane } from './lane';

lane(['api', 'models', 'activities'], 2, 9);
