import { lane } from './lane';

lane(['api', 'models', 'activities'], 9, 9);
