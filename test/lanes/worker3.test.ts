import { lane } from './lane';

lane('worker', 3, 3);
