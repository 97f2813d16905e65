/** How exactly the end of a run is noticed: between two glances at the clock. */
export const glanceMs = 10;
const longestPauseMs = 200;
/** Before any run has told how long they take. */
const usualAtFirstMs = 50;
/** One that took long says little of the others: it hung, or the service was away. */
const longestUsualMs = 1_000;
/** How much the latest run counts among those before. */
const weight = 0.2;
/** A run is looked at for the first time when so much of the usual time is over. */
const firstLookAt = 0.8;

/**
 * When to look whether a macro run has ended: first shortly before the usual time is over, then again and again, after
 * pauses that grow with the time that it has taken. To look all the time would cost as much as the runs do.
 */
export class LookTimes {
  private usualMs = usualAtFirstMs;

  /** Returns after how many ms a new run is first looked at. */
  firstMs(): number {
    return Math.max(glanceMs, this.usualMs * firstLookAt);
  }

  /** Returns after how many ms a run is looked at again that has not ended within `waitedMs`. */
  againMs(waitedMs: number): number {
    return Math.min(longestPauseMs, Math.max(glanceMs, waitedMs / 10));
  }

  /** Learns that a run took so long by its record, from asked to applied. */
  learn(tookMs: number): void {
    this.usualMs += weight * (Math.min(longestUsualMs, tookMs) - this.usualMs);
  }
}
