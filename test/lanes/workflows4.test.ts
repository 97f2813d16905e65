import { lane } from './lane';

lane(['workflows'], 4, 7);
