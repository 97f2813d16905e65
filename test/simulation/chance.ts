import { createHash } from 'node:crypto';

/** Numbers that follow from a seed: whatever a run decides by chance it decides by one of these. */
export class Chance {
  private a: number;
  private b: number;
  private c: number;
  private counter = 1;

  /** `purpose` keeps streams of one seed apart, so that drawing more in one place changes nothing in another. */
  constructor(seed: number, purpose: string) {
    const digest = createHash('sha256').update(`${seed}/${purpose}`).digest();
    this.a = digest.readInt32LE(0);
    this.b = digest.readInt32LE(4);
    this.c = digest.readInt32LE(8);
  }

  /** Returns a number from 0 to below 1 (the generator sfc32). */
  next(): number {
    const sum = (this.a + this.b + this.counter) | 0;
    this.counter = (this.counter + 1) | 0;
    this.a = this.b ^ (this.b >>> 9);
    this.b = (this.c + (this.c << 3)) | 0;
    this.c = ((this.c << 21) | (this.c >>> 11)) + sum;
    return (sum >>> 0) / 2 ** 32;
  }

  /** Returns a whole number from 0 to below `end`. */
  below(end: number): number {
    return Math.floor(this.next() * end);
  }

  /** Returns a number between two, small ones more often: faults and waits of all sizes come up. */
  spread(min: number, max: number): number {
    return min * (max / min) ** this.next();
  }

  hit(probability: number): boolean {
    return this.next() < probability;
  }

  /** Returns one of a list; throws where there is none. */
  pick<T>(list: readonly T[]): T {
    const found = list[this.below(list.length)];
    if (found === undefined) throw new Error('nothing to pick from');
    return found;
  }

  bytes(size: number): Buffer {
    return Buffer.from(Array.from({ length: size }, () => this.below(256)));
  }
}
