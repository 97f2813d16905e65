import { lane } from './lane';

lane('plain', 3, 4);
