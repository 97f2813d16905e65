import { lane } from './lane';

lane(['workflows'], 7, 7);
