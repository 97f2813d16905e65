import { lane } from './lane';

lane(['api', 'models', 'activities'], 6, 9);
