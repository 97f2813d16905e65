import { lane } from './lane';

lane('no sandbox', 2, 2);
