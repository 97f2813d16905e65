import { lane } from './lane';

lane('own', 8, 8);
