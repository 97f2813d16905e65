import { announceSend, isBound, requireMaySend } from '../../api/core/autonomy';
import { requireScope, type Autonomy } from '../../api/core/http/access';
import type { FrozenMessage, FrozenMove } from '../../api/core/frozenSends';
import type { Ctx } from '../../api/core/context';

const nobody = { kind: 'stage_move', recipients: [] as unknown } as FrozenMove;
const reaching = { kind: 'message' } as FrozenMessage;
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
      await announceSend(ctx({ autonomy }), () => reaching);
      return;
    }
    expect(() => requireMaySend({ autonomy })).toThrow(refused);
    await expect(announceSend(ctx({ autonomy }), () => Promise.resolve(reaching))).rejects.toEqual(refused);
    // What reaches nobody is no send.
    await announceSend(ctx({ autonomy }), () => nobody);
  });

  it('is gathered by a rehearsal and refused to nobody', async () => {
    for (const [autonomy] of levels) {
      const rehearsal = { frozen: [] };
      await announceSend(ctx({ autonomy, rehearsal }), () => reaching);
      await announceSend(ctx({ autonomy, rehearsal }), () => nobody);
      expect(rehearsal.frozen).toEqual([reaching, nobody]);
    }
  });

  it('is not looked for where nothing depends on it', async () => {
    const freeze = jest.fn(() => reaching);
    await announceSend(ctx({ autonomy: 'autonomous' }), freeze);
    expect(freeze).not.toHaveBeenCalled();
  });
});

it('a scope is required by its name', () => {
  const scopes = new Set(['chat.view'] as const);
  expect(() => requireScope({ scopes }, 'chat.view')).not.toThrow();
  expect(() => requireScope({ scopes }, 'chat.assign')).toThrow(
    expect.objectContaining({ code: 'forbidden', publicCode: 'missing_scope' }),
  );
});
