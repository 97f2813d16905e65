import { walkControls } from '../support/walkControls';

// What only shows something, other hands, and from afar: test/faults/everyControl.test.ts.
walkControls([{ way: 'mouse', msAway: [0], reads: false }]);
