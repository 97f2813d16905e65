import { lane } from './lane';

lane(['workflows'], 2, 7);
