import { lane } from './lane';

lane('own', 2, 4);
