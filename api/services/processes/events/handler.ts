import type { Ctx } from '../../../core/context';
import type { EventLookups } from './lookups';
import type { StoredEvent } from './storedEvent';

/** Processes one stored event in the surrounding transaction; running it again changes nothing. */
export type Handler = (ctx: Ctx, event: StoredEvent, known: EventLookups) => Promise<void>;
