/** Width of one slot: a burst of sends shares a few timers instead of arming one each. */
const slotMs = 5;

/** Runs many small jobs later, in order of their due slot. */
export class Scheduler {
  private readonly slots = new Map<number, { timer: NodeJS.Timeout; jobs: Array<() => void> }>();
  private waiting = 0;
  private closed = false;

  /** Jobs not yet run. */
  get pending(): number {
    return this.waiting;
  }

  after(delayMs: number, job: () => void): void {
    this.waiting += 1;
    const slot = Math.ceil((Date.now() + delayMs) / slotMs);
    const open = this.slots.get(slot);
    if (open) {
      open.jobs.push(job);
      return;
    }
    const timer = setTimeout(() => this.run(slot), delayMs);
    if (this.closed) clearTimeout(timer);
    this.slots.set(slot, { timer, jobs: [job] });
  }

  /** Runs everything now, earliest first, without waiting for its time. */
  flush(): void {
    while (this.slots.size > 0) {
      for (const slot of [...this.slots.keys()].sort((a, b) => a - b)) this.run(slot);
    }
  }

  clear(): void {
    for (const { timer } of this.slots.values()) clearTimeout(timer);
    this.slots.clear();
    this.waiting = 0;
  }

  close(): void {
    this.closed = true;
    for (const { timer } of this.slots.values()) clearTimeout(timer);
  }

  private run(slot: number): void {
    const due = this.slots.get(slot);
    if (!due) return;
    this.slots.delete(slot);
    clearTimeout(due.timer);
    for (const job of due.jobs) {
      this.waiting -= 1;
      job();
    }
  }
}
