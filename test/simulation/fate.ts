import { Chance } from './chance';
import type { Process } from './cluster';
import { noFaults } from './platform';
import type { Scene } from './run';
import type { Theme } from './themes';
import { party, type Party } from './world';

type Fault = 'dies' | 'freezes' | 'is cut off';

/** Where a process has something in its hands that nobody else knows of. */
const contested = new RegExp(
  'platform|refuses #|answers #|COMMIT|WITH due AS|WITH live AS|WITH done AS|delivery_state|inbox_events|reports ' +
    '|Temporal|START TR',
);
/** The arrival of an answer without which a process does not know whether its write was done. */
const answers = /^answered: (COMMIT|WITH done AS)/;
/** Where a process holds the answer to a call, and nobody else knows of it. */
const held = /^(refuses|answers) #|^WITH done AS/;
/** Where a sender claims a message that it has looked at. */
const claims = /^WITH due AS MATERIALIZED \( SELECT m\.id/;
/** Where a drainer has events of the platform in its hands. */
const inHand = /^(UPDATE|DELETE FROM) inbox_events|^WITH first AS MATERIALIZED|^COMMIT/;
const givesBack = /^UPDATE inbox_events SET attempts = attempts - 1/;
/** Faults that leave a sender in doubt, or make it send again. */
const unclear = ['unreachable', 'lostAnswer', 'hangs', 'garbage', 'tooMany', 'serverError'] as const;
/** How much likelier something happens there. */
const contestedWeight = 12;

/** What an event fails with: by its own fault, or the database's for a moment. */
const failureCodes = ['P0001', '40001', '55P03', '53200'] as const;
/** One more, and it would be parked. */
const maxFailures = 3;
/** A lease is renewed in time, though the statement that does so takes as long on its way. */
const maxDragMs = 3_500;

/** How often others become slow. */
const maxChanges = 20;

/** What goes wrong in a run, by its seed. */
export class Fate {
  readonly party = party('fate');

  constructor(
    private readonly scene: Scene,
    private readonly lengthMs: number,
    private readonly theme: Theme,
  ) {}

  begin(): void {
    const { world, platform, receiver, temporal, cluster } = this.scene;
    const { chance } = world;
    if (this.theme.isSlowForOne && chance.hit(0.7)) platform.slow = chance.pick(platform.accounts).phoneNumberId;
    // Where nothing goes wrong, nothing may be late or unknown either.
    this.scene.isCalm = chance.hit(this.theme.calm ?? 0.15);
    if (this.scene.isCalm) return;
    for (const name of Object.keys(platform.faults) as (keyof typeof platform.faults)[])
      if (chance.hit(0.3)) platform.faults[name] = chance.spread(0.05, 0.6);
    if (this.theme.isUnclear) {
      for (const name of unclear) if (chance.hit(0.5)) platform.faults[name] = chance.spread(0.1, 0.6);
      Object.assign(platform.faults, { lies: 0, staysSilent: chance.hit(0.5) ? chance.spread(0.5, 1) : 0 });
    }
    if (chance.hit(0.4)) receiver.fails = chance.spread(0.05, 0.9);
    if (chance.hit(0.4)) temporal.losesResults = chance.spread(0.02, 0.3);
    if (chance.hit(0.4)) temporal.losesCalls = chance.spread(0.1, 0.8);
    if (chance.hit(0.4)) temporal.doubles = chance.spread(0.1, 1);
    if (chance.hit(0.3)) temporal.party.skewMs = chance.pick([-1, 1]) * chance.spread(500, 900_000);
    if (chance.hit(0.7)) {
      world.lags = chance.spread(0.01, 0.2);
      world.maxLagMs = chance.spread(20, 2_500);
    }
    this.planFaults();
    if (chance.hit(0.7)) this.slowSome();
    if (this.theme.troublesInbox) this.troubleInbox();
    this.plan(chance.below(2), 'a clock jumps', () => {
      const live = [...cluster.live('api'), ...cluster.live('worker')];
      if (live.length > 0) chance.pick(live).party.skewMs = chance.pick([-1, 1]) * chance.spread(500, 3_600_000);
    });
    this.plan(chance.hit(0.25) ? 1 : 0, 'Temporal goes away', () => {
      temporal.party.asleepUntilMs = world.nowMs + chance.spread(1_000, 120_000);
    });
    this.plan(chance.hit(this.theme.forgets ? 1 : 0.08) ? 1 : 0, 'Temporal loses its state', () =>
      temporal.forgetAll(),
    );
    this.plan(chance.hit(0.25) ? 1 : 0, 'a process is asked to stop', () => {
      const live = [...cluster.awake('api'), ...cluster.awake('worker')];
      if (live.length === 0) return;
      const leaving = chance.pick(live);
      void cluster.stop(leaving);
      this.replace(leaving);
    });
    this.plan(chance.hit(0.2) ? 1 : 0, 'a replica starts', () => {
      cluster.start(chance.pick(['api', 'worker'] as const));
    });
    this.plan(chance.hit(0.1) ? 1 : 0, 'the database goes away', () => this.takeDatabaseAway());
  }

  /** Ends all faults: from now on what was begun has to come to its end. */
  async end(): Promise<void> {
    const { world, platform, temporal, receiver, cluster, statements } = this.scene;
    world.note('fate', 'ends all faults');
    platform.faults = { ...noFaults };
    Object.assign(temporal, { losesResults: 0, losesCalls: 0, doubles: 0 });
    receiver.fails = 0;
    world.lags = 0;
    statements.isAway = false;
    statements.keptAway.clear();
    for (const one of [temporal.party, ...cluster.processes.map(({ party: each }) => each)])
      Object.assign(one, { asleepUntilMs: 0, pace: 1, dragMs: 0 });
    await statements.monitor.query('DELETE FROM sim.failures');
    if (cluster.awake('api').length === 0) cluster.start('api');
    if (cluster.awake('worker').every(({ party: { isOlder } }) => isOlder)) cluster.start('worker');
    world.end(this.party);
    world.onBoundary = world.onLook = () => Promise.resolve();
    await world.settle();
  }

  /** Starts another process after a while, as whoever runs them does. */
  private replace({ kind }: Process): void {
    const { world, cluster } = this.scene;
    const waitMs = world.chance.spread(200, 20_000);
    world.after(this.party, waitMs, 'a process starts', () => void cluster.start(kind));
  }

  private plan(count: number, label: string, act: () => void): void {
    const { world } = this.scene;
    for (let one = 0; one < count; one += 1)
      world.after(this.party, world.chance.next() * this.lengthMs, label, () => {
        act();
      });
  }

  /** Lets processes die, stand still or lose the database, most of the time at contested boundaries. */
  private planFaults(): void {
    const { world, cluster, statements } = this.scene;
    const { chance } = world;
    const faults: Fault[] = [];
    for (const [fault, below] of [
      ['dies', 3],
      ['freezes', 3],
      ['is cut off', 2],
    ] as const)
      for (let count = chance.below(fault === this.theme.often ? 8 : below); count > 0; count -= 1) faults.push(fault);
    const hazard = 1 / chance.spread(30, 2_000);
    const losesAnswers = chance.hit(this.theme.isUnclear ? 0.6 : 0.2) ? chance.spread(0.05, 0.6) : 0;
    // Those whose next write says that a message was refused for now, and those that do not know whether it was done:
    // it is tried for four seconds; the look finds the message after three.
    const refused = new Set<Party>();
    const unsure = new Set<Party>();
    const awayMs = (self: Party): number => {
      if (this.theme.isUnclear && refused.delete(self) && chance.hit(0.7)) {
        unsure.add(self);
        return 3_900;
      }
      return losesAnswers > 0 && chance.hit(losesAnswers) ? chance.spread(100, 4_000) : 0;
    };
    // The write comes again while another process tries the message.
    const meet = (other: Process): void => {
      for (const self of unsure) statements.keptAway.set(self, world.nowMs);
      unsure.clear();
      if (chance.hit(0.7)) cluster.freeze(other, chance.spread(500, 2_500));
    };
    const cutOff = async ({ party: self }: Process, forMs: number): Promise<void> => {
      statements.keptAway.set(self, world.nowMs + forMs);
      await statements.cut(self);
    };
    world.onBoundary = async (actors, label) => {
      const victim = cluster.processes.find(({ party: self }) => actors.includes(self) && self.alive);
      if (victim && /^refuses #/.test(label)) refused.add(victim.party);
      if (victim && unsure.size > 0 && !unsure.has(victim.party) && /^calls the platform: POST/.test(label))
        return meet(victim);
      const forMs = victim && answers.test(label) ? awayMs(victim.party) : 0;
      if (victim && forMs > 0) {
        world.note(victim.party.name, 'does not hear of it');
        return cutOff(victim, forMs);
      }
      if (victim && this.theme.hesitates && claims.test(label) && chance.hit(0.4))
        return cluster.freeze(victim, chance.spread(200, 3_000));
      // One that comes when its claim is over.
      if (victim && this.theme.isUnclear && held.test(label) && chance.hit(0.1))
        return cluster.freeze(victim, chance.spread(30_000, 120_000));
      if (!victim || faults.length === 0 || !chance.hit(hazard * (contested.test(label) ? contestedWeight : 1))) return;
      const [fault] = faults.splice(chance.below(faults.length), 1);
      world.note(victim.party.name, `${fault}`);
      if (fault === 'dies') {
        await cluster.kill(victim);
        this.replace(victim);
      } else if (fault === 'freezes') cluster.freeze(victim, chance.spread(500, 90_000));
      else await cutOff(victim, chance.spread(10, 8_000));
    };
  }

  /** Lets some be slow for a while, others later: each boundary of theirs is then a gap for the others. */
  private slowSome(): void {
    const { world, cluster } = this.scene;
    let changes = 0;
    const change = (): void => {
      changes += 1;
      for (const { party: self } of cluster.processes) self.pace = world.chance.spread(0.02, 1);
      if (changes < maxChanges) world.after(this.party, world.chance.spread(20, 4_000), 'others are slow', change);
    };
    change();
  }

  /**
   * Lets the processing of some events fail by itself, a few times each, and work at them last longer than their lease:
   * what draws here changes nothing elsewhere.
   */
  private troubleInbox(): void {
    const { world, cluster, statements } = this.scene;
    const chance = new Chance(world.seed, 'inbox');
    this.disturbDrainers(chance);
    if (chance.hit(0.85)) {
      const failures = [chance.spread(0.1, 0.6), maxFailures * chance.next(), chance.pick(failureCodes)];
      world.park([], 'events begin to fail', async () => {
        await statements.monitor.query('INSERT INTO sim.failures VALUES ($1, $2, $3)', failures);
      });
    }
    for (let count = chance.hit(0.7) ? 1 + chance.below(2) : 0; count > 0; count -= 1) {
      const [dragMs, forMs] = [chance.spread(maxDragMs / 2, maxDragMs), chance.spread(20_000, 90_000)];
      world.after(this.party, (chance.next() * this.lengthMs) / 3, 'all answers to a worker come slowly', () => {
        const live = cluster.live('worker');
        if (live.length === 0) return;
        const { party: slow } = chance.pick(live);
        world.note(slow.name, `waits up to ${Math.round(dragMs)} ms for each answer`);
        slow.dragMs = dragMs;
        world.after(this.party, forMs, 'answers come in time again', () => (slow.dragMs = 0));
      });
    }
  }

  /** What happens to a drainer in the middle of its work: that is part of a look, for which no other fault comes. */
  private disturbDrainers(chance: Chance): void {
    const { world, cluster, statements } = this.scene;
    let left = chance.below(4);
    world.onLook = async (actors, label) => {
      const victim = cluster.processes.find(({ party: self }) => actors.includes(self) && self.alive);
      if (!victim) return;
      // Between one that failed and those behind it.
      if (givesBack.test(label) && chance.hit(0.4)) return cluster.freeze(victim, chance.spread(1_000, 15_000));
      if (left === 0 || !inHand.test(label) || !chance.hit(0.05)) return;
      left -= 1;
      const fault = chance.pick(['dies', 'freezes', 'is cut off'] as const);
      world.note(victim.party.name, fault);
      if (fault === 'dies') {
        await cluster.kill(victim);
        this.replace(victim);
      } else if (fault === 'freezes') cluster.freeze(victim, chance.spread(500, 30_000));
      else {
        statements.keptAway.set(victim.party, world.nowMs + chance.spread(10, 8_000));
        await statements.cut(victim.party);
      }
    };
  }

  private takeDatabaseAway(): void {
    const { world, statements } = this.scene;
    statements.isAway = true;
    world.park([], 'ends all connections', () => statements.cut(null));
    world.after(
      this.party,
      world.chance.spread(500, 30_000),
      'the database is back',
      () => (statements.isAway = false),
    );
  }
}
