import { lane } from './lane';

lane(['api', 'models', 'activities'], 8, 9);
