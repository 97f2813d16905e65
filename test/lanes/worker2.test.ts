import { lane } from './lane';

lane('worker', 2, 3);
