import type { AnswerOf } from '../../../core/http/shapes';
import { previewShape } from '../../../services/resources/broadcasts/serializer';
import { moneyText, numberText } from '../formats';
import type { Html } from '../html';
import { previewTemplate, type TemplatePreview } from '../inbox/templates';
import { loadTemplates } from '../lookups';
import type { PageRequest } from '../page';
import { BadNote } from '../parts';
import { readOne } from '../typedCalls';
import { words } from '../words';
import { reasonText, type Broadcast } from './list';

const { preview: said } = words.broadcasts;

type Seen = AnswerOf<typeof previewShape>;

/** Whom the stored draft would reach, and what they would read; or what is said instead, or forbids to say it. */
export type Previewed =
  | { readonly seen: Seen; readonly below: MessageGiven['below'] }
  | { readonly instead: string }
  | { readonly problem: string };

/** Returns how many a draft would reach. */
export const sendableOf = (preview: Previewed): number => ('seen' in preview ? preview.seen.sendable : 0);

/** Reads the preview of a stored draft; of one that is not stored, or was refused, it says what comes first. */
export async function loadPreview(
  page: PageRequest,
  broadcast: Broadcast | null,
  isRefused = false,
): Promise<Previewed> {
  if (isRefused) return { instead: said.mend };
  if (!broadcast || !page.may('broadcasts.preview')) return { instead: said.first };
  const [read, templates] = await Promise.all([
    page.attempt(() => readOne(page, previewShape, 'broadcasts.preview', { id: broadcast.id })),
    loadTemplates(page),
  ]);
  if ('errors' in read) return { problem: Object.values(read.errors).flat().join(' ') };
  const template = templates.find(({ template_id: id }) => id === broadcast.template_id);
  return { seen: read.value, below: previewTemplate(template?.components, {}) };
}

/** The preview, as it stands beside a draft. */
export function Preview({ preview }: { readonly preview: Previewed }): Html {
  if ('instead' in preview) return <p class="soft">{preview.instead}</p>;
  if ('problem' in preview) return <BadNote text={preview.problem} />;
  const { sendable, estimate, messaging_limit: limit, skipped_by_reason: skipped, samples } = preview.seen;
  const warning = limitText(limit);
  const remarks = [
    costText(estimate),
    ...Object.entries(skipped).map(([reason, count]) => said.leftOut(numberText(count), reasonText(reason))),
    ...(sendable === 0 ? [said.nobody] : []),
  ];
  return (
    <>
      <p class="figure">
        <strong>{numberText(sendable)}</strong> {said.reached(sendable)}
      </p>
      {warning && <BadNote text={warning} />}
      {remarks.map((remark) => (
        <p class="soft small">{remark}</p>
      ))}
      {samples.map(({ name, receiver_id: receiver, header, body }) => (
        <figure class="sample">
          <figcaption class="soft small">{said.to(name || receiver)}</figcaption>
          <Message says={{ header, body }} below={preview.below} />
        </figure>
      ))}
    </>
  );
}

function costText({ billable, cost, currency }: Seen['estimate']): string {
  return said.charge(billable, cost === null || currency === null ? null : moneyText(cost, currency));
}

/** Returns the reason why not all can be reached; empty when there is none. */
function limitText({ limit, used_24h: used, over_by: over }: Seen['messaging_limit']): string {
  if (limit === null || over === 0) return '';
  return said.limit(numberText(over), numberText(limit), numberText(used));
}

interface MessageGiven {
  readonly says: Pick<TemplatePreview, 'header' | 'body'>;
  /** What every customer sees below the text. */
  readonly below: Pick<TemplatePreview, 'footer' | 'buttons'>;
}

/** A message as a customer sees it. */
export function Message({ says: { header, body }, below: { footer, buttons } }: MessageGiven): Html {
  return (
    <div class="says">
      {header && (
        <p dir="auto">
          <strong>{header}</strong>
        </p>
      )}
      <p dir="auto">{body}</p>
      {footer && (
        <p class="soft small" dir="auto">
          {footer}
        </p>
      )}
      {buttons.map((button) => (
        <p class="says-button">{button}</p>
      ))}
    </div>
  );
}
