import { Icon, type Html } from './html';

/** What is said of a selection; the script fills in `{count}` and `{act}`. */
interface BulkWords {
  readonly selected: string;
  /** How many are selected by themselves. */
  readonly picked: string;
  readonly all: (count: string) => string;
  readonly none: string;
  readonly question: {
    readonly title: (count: string) => string;
    readonly text: (count: string) => string;
    readonly button: (count: string) => string;
  };
}

interface BulkGiven {
  /** How many match the filters. */
  readonly count: string;
  readonly said: BulkWords;
}

/** What a form says to the script (bulk.js): how many are selected, and the question before all are changed. */
export function bulkData({ count, said }: BulkGiven, more: string): Readonly<Record<string, string>> {
  const { title, text, button } = said.question;
  return {
    'data-selected': said.picked,
    'data-selected-all': said.selected,
    'data-ask-title': title(count),
    'data-ask': `${text(count)} ${more}`,
    'data-ask-button': button(count),
  };
}

/** The first line of the form of a selection: how many, whether all that match, and the way out. */
export function BulkHead({ count, said }: BulkGiven): Html {
  return (
    <p class="bulk-what">
      <strong id="bulk-count">{said.selected}</strong>{' '}
      <label>
        <input type="checkbox" name="all" value="true" id="bulk-all" /> {said.all(count)}
      </label>{' '}
      <button class="button-icon" type="reset" title={said.none}>
        <Icon name="x" label={said.none} />
      </button>
    </p>
  );
}

interface PickGiven {
  readonly id: number;
  /** What the form says of it. */
  readonly name: string;
  readonly value: string | number;
  readonly label: string;
}

/** The box by which a row is selected. */
export function Pick({ id, name, value, label }: PickGiven): Html {
  return (
    <input
      class="pick"
      type="checkbox"
      form="bulk"
      name={name}
      value={value}
      tabindex={-1}
      id={`pick-${id}`}
      aria-label={label}
    />
  );
}
