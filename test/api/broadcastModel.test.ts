import { fc, runs } from '../support/properties';
import { openBroadcast } from '../../api/services/resources/broadcasts/runs/run';
import { createBroadcast } from '../factories/broadcasts';
import { createContact } from '../factories/contacts';
import { movedClock } from '../support/clock';
import type { TestApi } from '../support/api';
import { sentFrom } from '../support/ownRows';
import { sharedDesk } from '../support/sharedDesk';

const path = '/api/v1/broadcasts/';
const operations = ['confirm', 'near', 'far', 'unschedule', 'delete', 'fire'] as const;
type Operation = (typeof operations)[number];
type State = 'draft' | 'near' | 'far' | 'running' | 'gone';

/** Specification 3.2 as a table: where an operation that wins leads to. */
const moves: Readonly<Record<Operation, Partial<Record<State, State>>>> = {
  confirm: { draft: 'running' },
  near: { draft: 'near' },
  far: { draft: 'far' },
  unschedule: { near: 'draft', far: 'draft' },
  delete: { draft: 'gone' },
  fire: { near: 'running' },
};

/** Whether some order of the winners leads from one state to the other. */
function explained(from: State, to: State, winners: readonly Operation[]): boolean {
  if (winners.length === 0) return from === to;
  return winners.some((winner, index) => {
    const next = moves[winner][from];
    return (
      next !== undefined &&
      explained(
        next,
        to,
        winners.filter((_unused, other) => other !== index),
      )
    );
  });
}

/**
 * Contract C9: whatever comes at the same time, the row's guarded update decides, and the outcome is one of some order.
 */
describe('the states of a broadcast under simultaneous operations', () => {
  let desk: TestApi;
  let offsetMs = 0;
  const now = (): Date => new Date(Date.now() + offsetMs);
  beforeAll(async () => {
    desk = await sharedDesk('plain', { clock: movedClock(now) });
    await createContact(desk.workspace);
    await createContact(desk.workspace, { marketing_opt_out: true });
  });
  afterAll(() => desk.close());

  const stateOf = async (id: number): Promise<State> => {
    const row = await desk.runtime.db.row<{ status: string; scheduled_at: Date | null }>(
      'SELECT status, scheduled_at FROM broadcasts WHERE id = $id',
      { id },
    );
    if (!row) return 'gone';
    if (row.status !== 'scheduled') return row.status as State;
    // "near" lies within the step of the clock, "far" beyond all of them.
    return (row.scheduled_at?.getTime() ?? 0) < now().getTime() + 60_000 ? 'near' : 'far';
  };

  /** Runs an operation; true when it changed the state. */
  async function run(id: number, operation: Operation, before: State): Promise<boolean> {
    if (operation === 'fire') {
      const opening = await openBroadcast(desk.workspace.ctx, id);
      expect(['running', 'not_due', 'superseded']).toContain(opening.kind);
      return opening.kind === 'running' && before !== 'running';
    }
    const answer =
      operation === 'delete'
        ? await desk.api.delete(`${path}${id}/`)
        : operation === 'unschedule'
          ? await desk.api.post(`${path}${id}/unschedule/`)
          : await desk.api.post(
              `${path}${id}/confirm/`,
              operation === 'confirm'
                ? undefined
                : {
                    scheduled_at: new Date(
                      now().getTime() + (operation === 'near' ? 30_000 : 86_400_000),
                    ).toISOString(),
                  },
            );
    expect([200, 204, 404, 409]).toContain(answer.status);
    if (answer.status === 404) expect(await stateOf(id)).toBe('gone');
    return answer.status < 300;
  }

  it('end as one of their orders would', async () => {
    const rounds = fc.array(fc.array(fc.constantFrom(...operations), { minLength: 1, maxLength: 5 }), {
      minLength: 1,
      maxLength: 5,
    });
    await fc.assert(
      fc.asyncProperty(rounds, async (groups) => {
        const id = await createBroadcast(desk.workspace);
        let state: State = 'draft';
        for (const group of groups) {
          const before: State = state;
          const won = await Promise.all(group.map((operation) => run(id, operation, before)));
          const winners = group.filter((operation, index) => won[index] && operation !== 'fire');
          const fired = group.some((operation, index) => operation === 'fire' && won[index]);
          state = await stateOf(id);
          // A fire that finds it running changed nothing, so it counts where it can be what started it.
          const reached: State = state;
          expect({
            group,
            before,
            winners,
            fired,
            state,
            explained:
              explained(before, reached, winners) || (fired && explained(before, reached, [...winners, 'fire'])),
          }).toMatchObject({ explained: true });
          const rows = await desk.runtime.db.rows<{ state: string }>(
            'SELECT state FROM broadcast_recipients WHERE broadcast_id = $id ORDER BY position',
            { id },
          );
          if (state !== 'running') expect(rows).toEqual([]);
          else if (rows.length > 0) expect(rows).toEqual([{ state: 'pending' }, { state: 'skipped' }]);
          offsetMs += 40_000;
        }
      }),
      // The winner of an unschedule is told so, though a delete follows at once.
      {
        numRuns: runs(20),
        examples: Array.from(
          { length: 10 },
          () => [[['near'], ['unschedule', 'confirm', 'delete']]] as [Operation[][]],
        ),
      },
    );
    expect(sentFrom(desk.workspace)).toEqual([]);
  });
});
