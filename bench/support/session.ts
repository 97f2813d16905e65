import { randomToken } from '../../api/core/secrets';
import { createMember } from '../../api/services/identity/members/service';
import { signIn } from '../../api/services/identity/members/sessions';
import type { Installation } from './context';

/** Signs a new admin in; gives the token of the session, and who that is. */
export async function openSession({ ctx, runtime }: Installation): Promise<{ token: string; memberId: number }> {
  const password = randomToken(12);
  const member = await createMember(ctx, { email: 'inbox@example.com', role: 'admin', password });
  const { token } = await signIn(runtime, {
    email: member.email,
    password,
    address: '127.0.0.1',
    network: '127.0.0.0/24',
    device: null,
    userAgent: 'bench',
  });
  return { token, memberId: member.id };
}

/** Returns how long each of so many requests took, one after the other, in ms; the first few warm the server up. */
export async function waits(url: string, headers: Record<string, string>, count: number): Promise<number[]> {
  const times: number[] = [];
  for (let index = -5; index < count; index += 1) {
    const begun = performance.now();
    const answer = await fetch(url, { headers, redirect: 'manual' });
    await answer.text();
    if (answer.status !== 200) throw new Error(`${url} answered ${answer.status}`);
    if (index >= 0) times.push(performance.now() - begun);
  }
  return times;
}
