import { Icon, type Html } from './html';
import type { IconName } from './icons';
import { Face, type FaceGiven } from './people';
import { words } from './words';

/** An entry of a menu: a button of its form. */
export interface Choice {
  readonly name: string;
  readonly value: string | number;
  readonly label: string;
  readonly icon?: IconName;
  /** Of a colleague. */
  readonly face?: FaceGiven;
  /** Small words behind the label. */
  readonly detail?: string;
  readonly hint?: string;
  /** What holds now. */
  readonly isCurrent?: boolean;
  /** The server asks before it, not the script of a selection (bulk.js). */
  readonly isUnasked?: boolean;
}

/** The entries of a menu. */
export function Choices({ choices }: { readonly choices: readonly Choice[] }): Html {
  return (
    <>
      {choices.map(({ name, value, label, icon, face, detail, hint, isCurrent, isUnasked }) => (
        <button
          class="menu-item"
          name={name}
          value={value}
          aria-current={isCurrent ? 'true' : undefined}
          title={hint || undefined}
          data-unasked={isUnasked ? '' : undefined}
        >
          {icon && <Icon name={icon} />}
          {face && <Face {...face} />}
          {label}
          {detail && <span class="soft">{detail}</span>}
          {isCurrent && !face && !icon && (
            <span class="soft">
              <Icon name="check" label={words.inbox.chosen} />
            </span>
          )}
        </button>
      ))}
    </>
  );
}
