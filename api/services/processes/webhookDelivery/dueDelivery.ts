/** A delivery that is due, with what is sent. */
export interface DueDelivery {
  readonly id: number;
  readonly attempts: number;
  readonly uid: string;
  readonly type: string;
  readonly body: string;
  readonly subject_type: string;
  readonly subject_id: number;
  /** Ids of the rows that caused the event. */
  readonly data: Readonly<Record<string, unknown>>;
}
