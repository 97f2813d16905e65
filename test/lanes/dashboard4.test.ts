import { lane } from './lane';

lane(['dashboard'], 4, 4);
