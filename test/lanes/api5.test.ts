import { lane } from './lane';

lane(['api', 'models', 'activities'], 5, 9);
