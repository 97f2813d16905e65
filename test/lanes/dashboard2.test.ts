import { lane } from './lane';

lane(['dashboard'], 2, 4);
