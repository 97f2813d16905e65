import { createHash } from 'node:crypto';
import type { JsonObject } from './types';

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

export function objectsOf(value: unknown): JsonObject[] {
  return listOf(value).filter(isObject);
}

/** Returns the string itself, a number as digits, or undefined for everything else. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' && Number.isFinite(value) ? String(value) : undefined;
}

export function digitsOf(value: string): string {
  return value.replace(/\D/g, '');
}

/** Counts characters as people do: an emoji is one, not two. */
export function lengthOf(value: string): number {
  let count = 0;
  for (const character of value) if (character) count += 1;
  return count;
}

export function unixSeconds(ms: number): number {
  return Math.floor(ms / 1000);
}

/** Writes a date as management nodes do: without a colon in the offset. */
export function graphDate(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}+0000`;
}

export function sha256(data: string | Buffer): Buffer {
  return createHash('sha256').update(data).digest();
}

/** Derives a decimal id from the parts, so that the same definition gets the same id after every restart. */
export function stableId(...parts: string[]): string {
  const hash = sha256(parts.join('\u0000'));
  return String(100_000_000_000_000 + (hash.readUIntBE(0, 6) % 800_000_000_000_000));
}

export type Random = () => number;

/** Returns a Mulberry32 generator: the same numbers on every machine for the same seed. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Shuffles a list in place (Fisher-Yates). */
export function shuffle<T>(items: T[], random: Random): T[] {
  for (let i = items.length - 1; i > 0; i -= 1) {
    const j = Math.floor(random() * (i + 1));
    const held = items[i] as T;
    items[i] = items[j] as T;
    items[j] = held;
  }
  return items;
}

/** Keeps the last N items; pushing is cheap however many came before. */
export class Ring<T> {
  private items: T[] = [];

  constructor(private readonly size: number) {}

  push(item: T): void {
    this.items.push(item);
    if (this.items.length > this.size * 2) this.items = this.items.slice(-this.size);
  }

  last(count: number): T[] {
    return this.items.slice(-Math.max(1, Math.min(count, this.size)));
  }

  clear(): void {
    this.items = [];
  }
}

/** Mobile lines that are dialled with a digit behind the country or area code, or without it. */
const twoSpellings: readonly [mark: string, pattern: RegExp][] = [
  ['9', /^(55[1-9]{2})(9?)([6-9]\d{7})$/],
  ['1', /^(52)(1?)([2-9]\d{9})$/],
  ['9', /^(54)(9?)([1-3]\d{9})$/],
];

/** Returns the other spelling of a line of Brazil, Mexico or Argentina; undefined for other numbers. */
export function otherSpelling(digits: string): string | undefined {
  for (const [mark, pattern] of twoSpellings) {
    const found = pattern.exec(digits);
    if (found) return `${found[1]}${found[2] === '' ? mark : ''}${found[3]}`;
  }
  return undefined;
}
