import { lane } from './lane';

lane('plain', 1, 4);
