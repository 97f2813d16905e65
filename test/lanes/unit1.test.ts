import { lane } from './lane';

lane(['unit', '.'], 1, 1);
