import { lane } from './lane';

lane('own', 7, 8);
