import { AppError, conflict, isFinal } from '../../api/core/http/errors';

test('what passes by itself is no final refusal: nothing is held, told or given up for it', () => {
  expect([conflict('No.'), new AppError('validation', 'No.')].map(isFinal)).toEqual([true, true]);
  const passing = [
    new AppError('unavailable', 'The service is busy.'),
    new AppError('throttled', 'Too many requests.'),
    new Error('Connection terminated unexpectedly'),
  ];
  expect(passing.map(isFinal)).toEqual([false, false, false]);
});
