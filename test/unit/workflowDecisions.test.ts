import { ActivityFailure, ApplicationFailure, RetryState } from '@temporalio/common';
import { refusalOf } from '../../workflows/failures';
import { isoTime, maxTimerMs } from '../../workflows/time';

/** What workflows decide without Temporal. */
describe('a failure', () => {
  const ofActivity = (cause: Error): ActivityFailure =>
    new ActivityFailure('failed', 'act', '1', RetryState.NON_RETRYABLE_FAILURE, undefined, cause);

  it('is a refusal where asking again cannot change it, from an activity or from the code itself', () => {
    expect(refusalOf(ApplicationFailure.nonRetryable('no', 'not_found'))).toBe('not_found');
    expect(refusalOf(ofActivity(ApplicationFailure.nonRetryable('no', 'not_found')))).toBe('not_found');
    expect(refusalOf(new ApplicationFailure('no', undefined, true))).toBe('refused');
  });

  it('is none where it may be tried again, or is of any other kind', () => {
    expect(refusalOf(ApplicationFailure.retryable('no', 'busy'))).toBeNull();
    expect(refusalOf(ofActivity(ApplicationFailure.retryable('no', 'busy')))).toBeNull();
    expect(refusalOf(ofActivity(new Error('not_found')))).toBeNull();
    expect(refusalOf(new Error('not_found'))).toBeNull();
    expect(refusalOf({ nonRetryable: true, type: 'not_found' })).toBeNull();
  });
});

describe('a time as operators read it', () => {
  it('is of the calendar as far as that reaches, and a number beyond', () => {
    expect(isoTime(0)).toBe('1970-01-01T00:00:00.000Z');
    expect(isoTime(8.64e15)).toBe('+275760-09-13T00:00:00.000Z');
    expect(isoTime(-8.64e15)).toBe('-271821-04-20T00:00:00.000Z');
    expect(isoTime(8.64e15 + 1)).toBe('8640000000000001');
    expect(isoTime(-8.64e15 - 1)).toBe('-8640000000000001');
  });

  it('is waited for a year at most by one timer, far below what the server can count', () => {
    expect(maxTimerMs).toBe(31_536_000_000);
  });
});
