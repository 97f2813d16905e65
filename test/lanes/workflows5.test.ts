import { lane } from './lane';

lane(['workflows'], 5, 7);
