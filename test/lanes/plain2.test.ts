import { lane } from './lane';

lane('plain', 2, 4);
