import { lane } from './lane';

lane(['workflows'], 1, 7);
