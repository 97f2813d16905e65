import { walkControls } from '../support/walkControls';

const farMs = 250;

walkControls([
  { way: 'mouse', msAway: [0, farMs], reads: true },
  { way: 'touch', msAway: [0, farMs], reads: true },
  { way: 'keyboard', msAway: [0, farMs], reads: true },
]);
