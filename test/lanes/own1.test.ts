import { lane } from './lane';

lane('own', 1, 4);
