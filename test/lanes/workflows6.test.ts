import { lane } from './lane';

lane(['workflows'], 6, 7);
