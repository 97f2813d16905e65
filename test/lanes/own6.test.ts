import { lane } from './lane';

lane('own', 6, 8);
