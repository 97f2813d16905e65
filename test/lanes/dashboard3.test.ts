import { lane } from './lane';

lane(['dashboard'], 3, 4);
