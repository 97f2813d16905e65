import { lane } from './lane';

lane(['workflows'], 3, 7);
