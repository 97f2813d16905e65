/** An event of the platform as it is kept until it is processed. */
export interface StoredEvent {
  readonly id: number;
  readonly workspace_id: number;
  readonly business_account_id: number;
  readonly kind: string;
  readonly order_key: string;
  readonly payload: Record<string, unknown>;
  readonly attempts: number;
  /** Its last leases ended without an outcome. */
  readonly suspect?: boolean;
  /** How many of its workspace's events its claim could take. */
  readonly share: number;
  /** Received just now: only such messages still weigh on the number's throughput. */
  readonly fresh: boolean;
}
