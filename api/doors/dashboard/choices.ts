import { cut } from '../../core/text/cut';
import type { Scope } from '../../core/http/access';
import type { FieldGiven } from './fieldViews';
import { ChoiceList } from './formParts';
import type { PageRequest, PageRoute } from './page';

/** Something to choose. */
export interface Choice {
  readonly value: string;
  readonly name: string;
  readonly detail: string;
}

/** A kind of things that a form asks for: contacts, tickets. */
export interface ChoiceKind {
  /** Where those that fit are asked for. */
  readonly path: string;
  readonly scope: Scope;
  /** What the list of them is called. */
  readonly title: string;
  readonly placeholder: string;
  /** Asked where several fit what was typed. */
  readonly question: string;
  /** Finds those that a text fits; the one whose value it is is among them. None where the member may not see them. */
  readonly find: (page: PageRequest, text: string) => Promise<readonly Choice[]>;
}

export const choicesShown = 8;
/** Longer than any name of what is chosen, and as long as a text that is looked for. */
const nameLength = 300;
const searchLength = 255;

/** A field for something to choose: people type what they know of it, and the form says its value. */
export interface ChoiceField {
  readonly field: FieldGiven;
  /** The name of the field that says the value. */
  readonly name: string;
  readonly chosen: string;
  /** The value that a form was filled with, where only what was changed is saved; null: all is. */
  readonly was: string | null;
  /** The text that stands for the chosen value; other words mean something else. */
  readonly words: string;
  /** The id of the list below the field. */
  readonly list: string;
  readonly kind: Pick<ChoiceKind, 'title' | 'question'>;
  /** What may have been meant, when what was typed was refused. */
  readonly choices: readonly Choice[];
  /** A choice is saved by itself. */
  readonly savesItself: boolean;
}

interface Asked {
  readonly name: string;
  readonly label: string;
  /** The value of what it stands for at first. */
  readonly stored?: string | undefined;
  /** The value is only saved where it differs from the stored one. */
  readonly isEdited?: boolean;
  /** Why what was typed was refused. */
  readonly refused?: readonly string[] | undefined;
  readonly required?: boolean;
  /** The value that is not offered. */
  readonly except?: string;
}

type Form = PageRequest['form'];
const typedName = (name: string): string => `typed.${name}`;

/** Builds a field for something to choose: with what was typed before, else with what is stored. */
export async function choiceField(
  page: PageRequest,
  kind: ChoiceKind,
  asked: Asked,
  form: Form = page.form,
): Promise<ChoiceField> {
  const { name, label, stored = '', refused = [], required = false, isEdited = false, except } = asked;
  const typed = form[typedName(name)];
  const chosen = typed === undefined ? stored : chosenIn(form, name);
  const known =
    chosen === '' ? undefined : (await findOthers(page, kind, chosen)).find(({ value }) => value === chosen);
  const list = `choices-${name}`;
  // As an input holds it, which has one line. What nothing is found by stays to be seen, so that it can be mended.
  const words = (known?.name ?? typed ?? chosen).replace(/[\r\n]/g, '');
  const maySee = page.can(kind.scope);
  return {
    name,
    chosen: known ? chosen : '',
    was: isEdited ? (form[`was.${name}`] ?? stored) : null,
    words,
    list,
    kind,
    choices: refused.length > 0 ? await findOthers(page, kind, typed ?? '', except) : [],
    savesItself: isEdited,
    field: {
      name: typedName(name),
      id: `field-${name}`,
      label,
      value: words,
      errors: refused.length > 0 ? { [typedName(name)]: [...refused] } : {},
      required,
      attributes: {
        placeholder: kind.placeholder,
        autocomplete: 'off',
        maxlength: nameLength,
        ...(isEdited ? { 'data-submit': '' } : {}),
        ...(maySee
          ? {
              role: 'combobox',
              'aria-autocomplete': 'list',
              'aria-expanded': 'false',
              'aria-controls': list,
              'hx-get': page.link(kind.path, { except }),
              'hx-trigger': 'input changed delay:150ms',
              'hx-target': `#${list}`,
              'hx-swap': 'innerHTML',
              'hx-sync': 'this:replace',
            }
          : {}),
      },
    },
  };
}

/** Reads a field for something to choose: what was chosen, else what was typed. */
export function readChosen({ form }: Pick<PageRequest, 'form'>, name: string): string {
  return chosenIn(form, name) || (form[typedName(name)] ?? '').trim();
}

/** Returns the chosen value; none where other words were typed than those that it was chosen by. */
function chosenIn(form: Form, name: string): string {
  const isMeant = form[typedName(name)] === undefined || form[typedName(name)] === form[`was.${typedName(name)}`];
  return isMeant ? (form[name] ?? '') : '';
}

async function findOthers(page: PageRequest, kind: ChoiceKind, text: string, except = ''): Promise<readonly Choice[]> {
  if (text.trim() === '' || !page.can(kind.scope)) return [];
  const found = await kind.find(page, cut(text.trim(), searchLength));
  return found.filter(({ value }) => value !== except);
}

/** Makes the route of the list below such a field, asked for as somebody types. */
export function choiceRoute(kind: ChoiceKind): PageRoute {
  return {
    method: 'GET',
    path: kind.path,
    scope: kind.scope,
    run: async (page) => {
      const [field, text] = Object.entries(page.query).find(([name]) => name.startsWith(typedName(''))) ?? ['', ''];
      const found = await page.attempt(() => findOthers(page, kind, text, page.query['except']));
      return page.part(ChoiceList({ field, choices: 'value' in found ? found.value : [] }));
    },
  };
}
