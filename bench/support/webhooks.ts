import { demoBusinessAccountId, demoPhoneNumberId } from '../../dev/sandbox/demo';
import { entriesOf, escapedJson, signBody, type Update } from '../../dev/sandbox/wire/payload';
import type { JsonObject } from '../../dev/sandbox/types';
import type { Installation } from './context';
import { seedContacts } from './seed';

/** A signed webhook, ready to be posted. */
export interface Webhook {
  readonly events: number;
  readonly signature: string;
  readonly body: string;
}

/** Events of a busy number, in order; no two calls give the same one. */
interface Traffic {
  /**
   * Webhooks of so many events together: half of the events come alone, a quarter in tens, a quarter in one batch of a
   * hundred.
   */
  webhooks(events: number): Webhook[];
  /** Returns one webhook of so many events. */
  batch(events: number): Webhook;
}

/** Of 400 events: ten times twenty alone and ten together, then a hundred together. */
const batches = [...Array.from({ length: 10 }, () => [...Array.from({ length: 20 }, () => 1), 10]).flat(), 100];

const phoneOf = (n: number): string => `4915${String(n).padStart(9, '0')}`;
const userOf = (n: number): string => `DE.${String(700_000_000_000 + n)}`;
const opaqueOf = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const sentWamid = (n: number): string => `wamid.HBgNNDkxNTAwMDAwMDAwMBUCABEYEjB${n}`;

/**
 * Customers (of twenty, nineteen are known by user id too) and messages to them that the upstream took and has not
 * spoken of yet.
 */
export async function seedTraffic(installation: Installation, customers: number, messages: number): Promise<void> {
  await seedContacts(installation, customers);
  await installation.sql(
    `UPDATE contacts SET bsuid = 'DE.' || (700000000000 + right(phone, 9)::bigint)
      WHERE right(phone, 9)::int % 20 <> 0`,
  );
  await installation.sql(
    `INSERT INTO messages (workspace_id, conversation_id, phone_number_id, direction, type, body, message_status, wamid,
      delivery_state, opaque, "read")
     SELECT $1, v.id, p.id, 'outbound', 'text',
       '{"type": "text", "text": {"body": "Your parcel is on its way and arrives tomorrow."}}', 'queued',
       'wamid.HBgNNDkxNTAwMDAwMDAwMBUCABEYEjB' || n, 'settled',
         ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, true
     FROM generate_series(1, $3::int) AS n JOIN contacts c ON c.workspace_id = $1
       AND c.phone = '4915' || lpad((1 + n % $2::int)::text, 9, '0')
       JOIN conversations v ON v.contact_id = c.id
         JOIN phone_numbers p ON p.workspace_id = $1 AND p.phone_number_id = $4`,
    [installation.ctx.workspaceId, customers, messages, demoPhoneNumberId],
  );
  await installation.sql('VACUUM ANALYZE');
}

/** Returns how many of the seeded messages so many events speak of. */
export function messagesFor(events: number): number {
  return Math.ceil(events / 4) + 2;
}

/**
 * The mix that the upstream tells its receivers to expect (upstream 2.3): three statuses (sent, delivered, read,
 * one message in a hundred failed) for each message of a customer, of which one in twenty comes from somebody new.
 */
export function makeTraffic(appSecret: string, customers: number): Traffic {
  const metadata = { display_phone_number: '15550100100', phone_number_id: demoPhoneNumberId };
  let events = 0;
  let written = 0;
  let statuses = 0;

  const contact = (n: number): JsonObject => ({
    profile: { name: `Customer ${n}` },
    wa_id: phoneOf(n),
    user_id: userOf(n),
  });
  const now = (): string => String(Math.floor(Date.now() / 1000));

  function customerMessage(): Update {
    written += 1;
    const from = written % 20 === 0 ? customers + written : 1 + ((written * 7_919) % customers);
    const content: JsonObject[] = [
      { type: 'text', text: { body: `Where is my order ${written}? It was to come yesterday, and nobody rang.` } },
      { type: 'text', text: { body: 'Thank you, dass paßt schön 👍' } },
      {
        type: 'image',
        image: {
          id: String(9_000_000_000 + written),
          mime_type: 'image/jpeg',
          sha256: 'T1JhbmdlcyBhbmQgbGVtb25zIHNheSB0aGUgYmVsbHM=',
          caption: 'This is how it came',
        },
      },
      {
        type: 'interactive',
        interactive: { type: 'button_reply', button_reply: { id: 'yes', title: 'Yes' } },
        context: { from: metadata.display_phone_number, id: sentWamid(1 + (written % 50)) },
      },
    ];
    const message = {
      from: phoneOf(from),
      from_user_id: userOf(from),
      id: `wamid.HBgNNDkxNTAwMDAwMDAwMBUCABIYFjN${written}`,
      timestamp: now(),
      ...(content[written % 8 < 4 ? 0 : written % 4] ?? {}),
    };
    return {
      field: 'messages',
      value: { messaging_product: 'whatsapp', metadata, contacts: [contact(from)], messages: [message] },
    };
  }

  function status(): Update {
    const step = statuses % 3;
    // Delivered comes two messages after sent, read seven after: other messages' words are in between.
    const n = Math.max(1, 1 + Math.floor(statuses / 3) - ([0, 2, 7][step] ?? 0));
    statuses += 1;
    const failed = n % 100 === 0 && step > 0;
    const customer = 1 + (n % customers);
    const word = failed ? 'failed' : (['sent', 'delivered', 'read'][step] ?? 'sent');
    const item: JsonObject = {
      id: sentWamid(n),
      status: word,
      timestamp: now(),
      recipient_id: phoneOf(customer),
      recipient_user_id: userOf(customer),
      biz_opaque_callback_data: opaqueOf(n),
      ...(failed
        ? {
            errors: [
              {
                code: 131026,
                title: 'Message undeliverable',
                message: 'Message undeliverable',
                error_data: { details: 'The recipient cannot take this message.' },
              },
            ],
          }
        : { pricing: { billable: true, pricing_model: 'PMP', type: 'regular', category: 'utility' } }),
    };
    return {
      field: 'messages',
      value: {
        messaging_product: 'whatsapp',
        metadata,
        ...(failed ? {} : { contacts: [contact(customer)] }),
        statuses: [item],
      },
    };
  }

  function batch(size: number): Webhook {
    const updates = Array.from({ length: size }, () => {
      events += 1;
      return events % 4 === 0 ? customerMessage() : status();
    });
    const body = escapedJson({
      object: 'whatsapp_business_account',
      entry: entriesOf(demoBusinessAccountId, updates),
    });
    return { events: size, signature: signBody(body, appSecret), body };
  }

  return {
    batch,
    webhooks(wanted) {
      const made: Webhook[] = [];
      for (let left = wanted, at = 0; left > 0; at += 1) {
        const size = Math.min(left, batches[at % batches.length] ?? 1);
        made.push(batch(size));
        left -= size;
      }
      return made;
    },
  };
}
