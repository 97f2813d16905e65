import { lane } from './lane';

lane(['unit', '.', '../dev/sandbox/test'], 1, 1);
