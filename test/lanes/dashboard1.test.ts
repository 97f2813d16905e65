import { lane } from './lane';

lane(['dashboard'], 1, 4);
