import { lane } from './lane';

lane('plain', 4, 4);
