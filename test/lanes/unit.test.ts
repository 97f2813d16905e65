import { laneOf } from './lane';

laneOf(['unit', '.', '../dev/sandbox/test']);
