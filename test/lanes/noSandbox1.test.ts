import { lane } from './lane';

lane('no sandbox', 1, 2);
