import { lane } from './lane';

lane('own', 4, 4);
