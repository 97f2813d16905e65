import type { Scope } from '../../../core/http/access';
import { AppError, type FieldErrors } from '../../../core/http/errors';
import type { InputSchema } from '../../../core/http/fields';
import type { Answer, Wire } from '../../../core/http/shapes';
import { fieldOf, specOf, knownFields, readFields, type DeclaredField, type FieldWords } from '../declaredForms';
import type { Html } from '../html';
import type { IconName } from '../icons';
import { definePages, type PageAnswer, type PageRequest, type PageRoute } from '../page';
import { Checks, Empty, Errors, Field, Form, Removal } from '../parts';
import { askToDelete } from '../plainPages';
import { readList, readOne } from '../typedCalls';
import { words } from '../words';
import { settingsPage, type Section } from './settings';
import { Head, NewLink } from '../headParts';
import { Table, type Column } from './settingsParts';
import { reason } from '../../../core/http/reasons';

const { common } = words;

/** The texts of a subject that is listed, made, changed and deleted. */
interface ResourceWords<Name extends string> {
  readonly title: string;
  readonly one: string;
  readonly new: string;
  readonly newTitle: string;
  readonly empty: { readonly title: string; readonly text: string };
  readonly made: string;
  readonly saved: string;
  readonly deleted: string;
  readonly delete: {
    readonly title: string;
    readonly named: (name: string) => string;
    readonly text: string;
    readonly button: string;
  };
  readonly fields: Readonly<Record<Name, FieldWords>>;
}

/** One of the subject in its list. */
interface Row {
  readonly name: string;
  readonly isDefault?: boolean;
  readonly lines: readonly string[];
}

type RowOf<T> = (item: T) => Row;

interface Resource<T extends { readonly id: number }, Name extends string> {
  readonly path: string;
  /** Its place under Settings. */
  readonly section: Section['id'];
  readonly icon: IconName;
  /** What each of its operations begins with: `slaPolicies` for `slaPolicies.list`. */
  readonly operations: string;
  readonly shape: Wire<T>;
  readonly view: Scope;
  readonly manage: Scope;
  readonly words: ResourceWords<Name>;
  /** What a new one is filled with. */
  readonly fresh: Readonly<Partial<Record<Name, unknown>>>;
  /** How each is called. */
  readonly nameOf: (item: Answer<T>) => string;
  /** A list of entries, or of columns. */
  readonly list:
    | { readonly entries: (page: PageRequest) => RowOf<Answer<T>> | Promise<RowOf<Answer<T>>> }
    | { readonly columns: () => readonly Column<Answer<T>>[] };
  readonly fields: (page: PageRequest, item: Answer<T> | null) => Promise<readonly DeclaredField<Name>[]>;
  /** The form takes the whole width, as one with many boxes does. */
  readonly isWide?: boolean;
  /** Changes what was read from the form, before it is sent. */
  readonly sent?: (values: Record<string, unknown>) => Record<string, unknown>;
  /** A further form below the first, where one is changed. */
  readonly below?: (page: PageRequest, item: Answer<T>, errors?: FieldErrors) => Promise<Html>;
}

/** What a form shows beside what is stored: what was typed, and what was wrong with it. */
interface Typed {
  readonly values?: Readonly<Record<string, unknown>>;
  readonly errors?: FieldErrors;
  /** What was wrong with the further form. */
  readonly belowErrors?: FieldErrors;
}

/** The pages of a subject under Settings: a list, a form that makes or changes one, and a button that deletes it. */
interface ResourcePages<T> {
  readonly routes: readonly PageRoute[];
  /** Reads the one that the path names. */
  readonly find: (page: PageRequest) => Promise<Answer<T>>;
  /** Answers with the form of one. */
  readonly show: (page: PageRequest, item: Answer<T>, typed?: Typed) => Promise<PageAnswer>;
}

/** Declares them. Fields, their limits and how they are read follow from the operations' own input. */
export function resourcePages<T extends { readonly id: number }, Name extends string>(
  resource: Resource<T, Name>,
): ResourcePages<T> {
  const { path, section, shape, words: own, view, manage } = resource;
  const operation = (verb: string): string => `${resource.operations}.${verb}`;

  const bodyOf = (page: PageRequest, verb: string): InputSchema | undefined =>
    page.operations.get(operation(verb))?.body;

  const find = async (page: PageRequest): Promise<Answer<T>> => {
    const id = page.params['id'];
    if (page.operations.has(operation('get'))) return readOne(page, shape, operation('get'), { id });
    const all = await readList(page, shape, operation('list'));
    const found = all.find((item) => String(idOf(item)) === id);
    if (!found) throw new AppError('not_found', reason('notFound'));
    return found;
  };

  const known = async (page: PageRequest, item: Answer<T> | null) => {
    const create = bodyOf(page, 'create');
    const taken = item ? bodyOf(page, 'update') : create;
    return knownFields(await resource.fields(page, item), taken, create);
  };

  const show = async (page: PageRequest, item: Answer<T> | null, typed: Typed = {}): Promise<PageAnswer> => {
    const { errors, belowErrors, values = (item ?? resource.fresh) as Readonly<Record<string, unknown>> } = typed;
    const fields = await known(page, item);
    const heading = item ? resource.nameOf(item) : own.newTitle;
    const action = `${path}${item ? idOf(item) : 'new'}/`;
    const body = (
      <>
        <Head title={heading} back={{ href: path, label: own.title }} />
        <Form class={resource.isWide ? 'panel' : 'panel column'} action={action} csrf={page.csrf}>
          <Errors errors={errors} fields={fields.map(({ name }) => name)} />
          {fields.map((field) => {
            const { label } = own.fields[field.name as Name];
            if (field.kind === 'fixed')
              return (
                <p class="soft">
                  {label}: <code>{values[field.name]}</code>
                </p>
              );
            const given = fieldOf(field, own.fields[field.name as Name], values[field.name], errors);
            if (field.kind !== 'checks') return <Field {...given} />;
            const { options = [] } = field;
            return options.length > 0 ? (
              <Checks {...given} legend={given.label} options={options} values={[values[field.name]].flat()} />
            ) : null;
          })}
          <div class="actions">
            {page.may(operation('update')) && (
              <button class="button button-main" type="submit">
                {item ? common.save : common.create}
              </button>
            )}{' '}
            <a class="button" href={path}>
              {common.cancel}
            </a>
          </div>
        </Form>
        {item && (await resource.below?.(page, item, belowErrors))}
        {item && page.may(operation('delete')) && (
          <Removal
            action={`${action}delete/`}
            csrf={page.csrf}
            icon="trash"
            text={own.delete.button}
            ask={{ title: own.delete.named(heading), text: own.delete.text, button: common.delete }}
          />
        )}
      </>
    );
    const status = errors || belowErrors ? { status: 422 } : {};
    return settingsPage(page, body, { section, title: item ? own.one : own.newTitle, ...status });
  };

  const routes = definePages([
    {
      method: 'GET',
      path,
      scope: view,
      run: async (page) => {
        const items = await readList(page, shape, operation('list'));
        const edit = (item: Answer<T>): Html | null =>
          page.may(operation('update')) ? (
            <a class="button button-small" href={`${path}${idOf(item)}/`}>
              {common.edit}
              <span class="visually-hidden"> {resource.nameOf(item)}</span>
            </a>
          ) : null;
        const { list } = resource;
        const body = (
          <>
            <Head title={own.title}>
              {page.may(operation('create')) && <NewLink href={`${path}new/`} text={own.new} />}
            </Head>
            {items.length === 0 && <Empty icon={resource.icon} {...own.empty} />}
            {items.length > 0 && 'columns' in list && (
              <Table label={own.title} columns={list.columns()} items={items} actions={edit} />
            )}
            {'entries' in list && <Rows items={items} row={await list.entries(page)} actions={edit} />}
          </>
        );
        return settingsPage(page, body, { section, title: own.title });
      },
    },
    { method: 'GET', path: `${path}new/`, scope: manage, run: (page) => show(page, null) },
    {
      method: 'POST',
      path: `${path}new/`,
      scope: manage,
      run: async (page) => {
        const values = readFields(page, await known(page, null));
        const made = await page.attempt(() =>
          page.call(operation('create'), filled(sent(values), bodyOf(page, 'create'))),
        );
        if ('errors' in made) return show(page, null, { values: typedInto(page, values), errors: made.errors });
        return page.redirect(path, { text: own.made });
      },
    },
    {
      method: 'GET',
      path: `${path}:id/`,
      scope: manage,
      asksOnce: true,
      run: async (page) => show(page, await find(page)),
    },
    {
      method: 'POST',
      path: `${path}:id/`,
      scope: manage,
      run: async (page) => {
        const item = await find(page);
        const values = readFields(page, await known(page, item));
        const { id } = page.params;
        const saved = await page.attempt(() => page.call(operation('update'), { id, ...sent(values) }));
        if ('errors' in saved) return show(page, item, { values: typedInto(page, values), errors: saved.errors });
        return page.redirect(path, { text: own.saved });
      },
    },
    {
      method: 'POST',
      path: `${path}:id/delete/`,
      scope: manage,
      confirm: askToDelete(own.delete),
      run: async (page) => {
        const gone = await page.attempt(() => page.call(operation('delete'), { id: page.params['id'] }));
        if ('errors' in gone) return show(page, await find(page), { errors: gone.errors });
        return page.redirect(path, { text: own.deleted });
      },
    },
  ]);

  function sent(values: Record<string, unknown>): Record<string, unknown> {
    return resource.sent?.(values) ?? values;
  }

  return { routes, find, show };
}

/** The id of an answer: a number stays one when it is read. */
const idOf = (item: object): number => (item as { readonly id: number }).id;

/** What was typed, where a list was read from one text. */
function typedInto(page: PageRequest, values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, Array.isArray(value) ? page.all(name) : value]),
  );
}

/** Leaves out what may be left out and was left empty, so that what is made has the usual value. */
function filled(values: Record<string, unknown>, body: InputSchema | undefined): Record<string, unknown> {
  const isOpen = (name: string): boolean => {
    const spec = specOf(body, name);
    return spec?.optional === true && !spec.nullable;
  };
  return Object.fromEntries(Object.entries(values).filter(([name, value]) => value !== '' || !isOpen(name)));
}

interface ListGiven<T> {
  readonly items: readonly T[];
  readonly actions: (item: T) => Html | null;
}

function Rows<T>({ items, row, actions }: ListGiven<T> & { readonly row: (item: T) => Row }): Html {
  return (
    <ul class="rows">
      {items.map((item) => {
        const { name, isDefault, lines } = row(item);
        return (
          <li class="row-item">
            <div>
              <strong>{name}</strong>
              {isDefault && (
                <>
                  {' '}
                  <span class="tag tag-accent">{common.default}</span>
                </>
              )}
              {lines.map((line, index) => (
                <>
                  <br />
                  <span class={index < lines.length - 1 ? 'soft' : 'soft small'}>{line}</span>
                </>
              ))}
            </div>
            {actions(item)}
          </li>
        );
      })}
    </ul>
  );
}
