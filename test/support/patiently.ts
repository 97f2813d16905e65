import type { ApiAnswer } from './client';

/** Asks again while the answer is a 503, as clients do: it has done nothing, and on a busy machine each may get one. */
export async function patiently(ask: () => Promise<ApiAnswer>): Promise<ApiAnswer> {
  for (;;) {
    const answer = await ask();
    if (answer.status !== 503) return answer;
  }
}
