import { createHash } from 'node:crypto';

/** What happened, line by line, and a digest of it by which two runs are compared. */
export class Trace {
  private readonly hash = createHash('sha256');
  private readonly kept: string[] = [];

  constructor(private readonly prints: boolean) {}

  add(sinceStartMs: number, who: string, what: string): void {
    const line = `${(sinceStartMs / 1_000).toFixed(4).padStart(12)} ${who.padEnd(9)} ${what}`;
    this.hash.update(line).update('\n');
    if (this.prints) process.stdout.write(`${line}\n`);
    this.kept.push(line);
  }

  digest(): string {
    return this.hash.copy().digest('hex').slice(0, 16);
  }

  lines(): readonly string[] {
    return this.kept;
  }
}
