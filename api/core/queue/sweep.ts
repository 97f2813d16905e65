/**
 * Tells a sweep, between two of its statements, that it has to end: its time is over, or its process stops. What is
 * left is the next run's.
 */
export type IsOver = () => boolean;

/** Lets a sweep go on until nothing is left. */
export const never: IsOver = () => false;
