import type { Client } from 'pg';
import type { Invariant } from './end';
import { snoozeIntent } from './seams';
import type { Town } from './town';

/** A workflow that no version knows yet: a newer worker beside these has left an intent of it. */
export const workflowOfTomorrow = 'workflowOfTomorrow';

/** More intents of one workspace than a relay leases at once. */
const plantedOfOne = 150;
/** Conversations that nobody has: their timers have nothing to wait for. */
const firstPlanted = 900_000_000;
/** What a relay hands over at once, twice. */
const maxAhead = 32;

const idOf = (workspaceId: number, place: number): string => `snooze-timer/${workspaceId}/${firstPlanted + place}`;

/**
 * Leaves intents as an outage of hours does: many of the first workspace, and the last of all one of the second, behind
 * one of a workflow that only newer workers know.
 */
export async function plantIntents(monitor: Client, { shops }: Town): Promise<void> {
  const [busy, quiet] = shops.map(({ workspaceId }) => workspaceId);
  if (busy === undefined || quiet === undefined) throw new Error('a backlog needs two workspaces');
  const places = [...Array.from({ length: plantedOfOne }, () => busy), quiet];
  const intents = places.map((workspaceId, place) => ({
    workspaceId,
    ...snoozeIntent(workspaceId, firstPlanted + place, null, 1),
  }));
  await monitor.query(
    `INSERT INTO outbox (workspace_id, workflow, workflow_id, version, input)
     VALUES ($1, $2, 'of-tomorrow', 1, '{}')`,
    [quiet, workflowOfTomorrow],
  );
  await monitor.query(
    `INSERT INTO outbox (workspace_id, workflow, workflow_id, signal, version, input)
     SELECT (i->>'workspaceId')::bigint, i->'start'->>'workflow', i->'start'->>'id', i->>'signal',
       (i->>'version')::int, i
     FROM jsonb_array_elements($1::jsonb) WITH ORDINALITY AS e(i, place) ORDER BY place`,
    [JSON.stringify(intents)],
  );
}

/** What must hold of intents that have waited for long, and of those that this version does not know. */
export const ofIntents: Readonly<Record<string, Invariant>> = {
  'C16 a backlog of intents is handed over, and nobody waits for all of it': ({ scene, days }) => {
    if (!days.hasBacklog) return [];
    const [busy, quiet] = scene.town.shops.map(({ workspaceId }) => workspaceId);
    const reached = [...new Set(scene.temporal.taken.map(({ id }) => id))];
    const placeOf = (id: string): number => reached.findIndex((one) => one.endsWith(`/${id}`));
    const ofBusy = Array.from({ length: plantedOfOne }, (_unused, place) => placeOf(idOf(busy ?? 0, place)));
    const ofQuiet = placeOf(idOf(quiet ?? 0, plantedOfOne));
    const lost = [...ofBusy, ofQuiet].filter((place) => place < 0).length;
    const ahead = ofBusy.filter((place) => place < ofQuiet).length;
    return [
      ...(lost > 0 ? [`${lost} intents never reached Temporal`] : []),
      ...(scene.isCalm && ahead > maxAhead ? [`${ahead} intents of one workspace went before that of another`] : []),
    ];
  },

  'ARCHITECTURE a worker of the version before starts nothing that it does not know': ({ scene }) =>
    scene.temporal.unknown,

  'ARCHITECTURE an intent of a workflow that a version does not know is left to newer ones': async ({
    days,
    query,
  }) => {
    const rows = await query<{ attempts: number; refusals: number; aside: boolean }>(
      `SELECT attempts, refusals, set_aside_at IS NOT NULL AS aside FROM outbox
       WHERE workflow = '${workflowOfTomorrow}'`,
    );
    return [
      ...(rows.length === (days.hasBacklog ? 1 : 0) ? [] : ['what is for newer workers is gone']),
      ...rows.flatMap(({ attempts, refusals, aside }) =>
        attempts + refusals > 0 || aside ? [`what is for newer workers was tried ${attempts} times`] : [],
      ),
    ];
  },
};
