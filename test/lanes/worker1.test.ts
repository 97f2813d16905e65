import { lane } from './lane';

lane('worker', 1, 3);
