import { lane } from './lane';

lane(['api', 'models', 'activities'], 7, 9);
