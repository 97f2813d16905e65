/** A contact as the API returns it. */
export interface WireContact {
  readonly id: number;
  readonly receiver_id: string;
  readonly phone: string;
  readonly name: string;
  readonly email: string;
  readonly company: string;
  readonly notes: string;
  readonly tags: unknown;
  readonly username: string | null;
  readonly bsuid: string | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly first_message_at: string | null;
  readonly custom_fields: Readonly<Record<string, unknown>>;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly ctwa_headline: string;
  readonly ctwa_source_url: string;
  readonly ctwa_referral_at: string | null;
  readonly marketing_opt_out: boolean;
  readonly marketing_opt_out_at: string | null;
  readonly marketing_opt_out_source: string | null;
}

/** One page of a list. */
export interface WirePage<T> {
  readonly items: readonly T[];
  readonly count?: number;
  readonly next: Record<string, string> | null;
  readonly previous: Record<string, string> | null;
}

/** A member as the API lists them. */
export interface WireMember {
  readonly id: number;
  readonly name: string;
  readonly email: string;
}

/** Address of a contact's page. */
export const contactPath = (receiverId: string): string => `/dashboard/contacts/${encodeURIComponent(receiverId)}/`;
