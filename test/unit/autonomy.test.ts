import { announceSend, isBound, requireMaySend, type Autonomy } from '../../api/core/autonomy';
import { requireScope } from '../../api/core/access';
import type { Ctx } from '../../api/core/context';

const ctx = (more: Partial<Ctx>): Ctx => more as Ctx;
const levels: readonly (readonly [Autonomy | undefined, boolean])[] = [
  ['draft', true],
  ['approval', true],
  ['autonomous', false],
  [undefined, false],
];

describe('what a credential may send by itself', () => {
  it.each(levels)('%s', async (autonomy, bound) => {
    expect(isBound({ autonomy })).toBe(bound);
    const refused = expect.objectContaining({ code: 'forbidden', publicCode: 'needs_approval' });
    if (!bound) {
      expect(() => requireMaySend({ autonomy })).not.toThrow();
      await announceSend(ctx({ autonomy }));
      return;
    }
    expect(() => requireMaySend({ autonomy })).toThrow(refused);
    await expect(announceSend(ctx({ autonomy }))).rejects.toEqual(refused);
    await expect(announceSend(ctx({ autonomy }), () => Promise.resolve(true))).rejects.toEqual(refused);
    // What reaches nobody is no send.
    await announceSend(ctx({ autonomy }), () => Promise.resolve(false));
  });

  it('is counted in a rehearsal and refused to nobody, and not counted where it reaches nobody', async () => {
    for (const [autonomy] of levels) {
      const rehearsal = { sends: 0 };
      await announceSend(ctx({ autonomy, rehearsal }));
      await announceSend(ctx({ autonomy, rehearsal }), () => Promise.resolve(true));
      await announceSend(ctx({ autonomy, rehearsal }), () => Promise.resolve(false));
      expect(rehearsal.sends).toBe(2);
    }
  });

  it('is not looked for where nothing depends on it', async () => {
    const reaches = jest.fn(() => Promise.resolve(true));
    await announceSend(ctx({ autonomy: 'autonomous' }), reaches);
    expect(reaches).not.toHaveBeenCalled();
  });
});

it('a scope is required by its name', () => {
  const scopes = new Set(['chat.view'] as const);
  expect(() => requireScope({ scopes }, 'chat.view')).not.toThrow();
  expect(() => requireScope({ scopes }, 'chat.assign')).toThrow(
    expect.objectContaining({ code: 'forbidden', publicCode: 'missing_scope' }),
  );
});
