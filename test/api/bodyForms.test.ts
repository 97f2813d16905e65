import { writeSamples } from '../factories/writeSamples';
import { formWrites, tellEveryWrite, tellSample } from '../support/bodyForms';

// Whatever else its fields may hold: test/faults/bodyForms.test.ts.
tellEveryWrite('when it succeeds', tellSample);

it('every write has a sample, and no sample is of a write that is gone', () => {
  expect(Object.keys(writeSamples).sort()).toEqual(formWrites.map(({ id }) => id).sort());
});
