import { lane } from './lane';

lane('own', 3, 4);
