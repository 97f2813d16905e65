import { lane } from './lane';

lane(['api', 'models', 'activities'], 4, 9);
