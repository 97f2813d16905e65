import { lane } from './lane';

lane('own', 5, 8);
