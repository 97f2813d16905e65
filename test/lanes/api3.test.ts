import { lane } from './lane';

lane(['api', 'models', 'activities'], 3, 9);
