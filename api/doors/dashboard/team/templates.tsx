import type { Answer, Wire } from '../../../core/http/shapes';
import { templateShape } from '../../../services/resources/templates/serializer';
import { filterView, optionsOf, pagerView, sentence, statusTag } from '../fieldViews';
import { Icon, type Html } from '../html';
import { exampleValues, previewTemplate } from '../inbox/templates';
import { objectsOf } from '../lookups';
import { definePages, type PageAnswer, type PageRequest } from '../page';
import { Filters, Pager, Tag } from '../parts';
import { readOne, readPage } from '../typedCalls';
import { words } from '../words';
import { settingsPage } from './settings';
import { Head } from '../headParts';
import { Facts, NothingFits, Table, type Column } from './settingsParts';
import { valueWord } from '../valueWord';

const { templates } = words;
const { columns, filters } = templates;
const path = '/dashboard/templates/';
const scope = 'template.view';
const section = 'templates';
const states = ['APPROVED', 'PENDING', 'REJECTED', 'PAUSED', 'DISABLED'];
const categories = ['MARKETING', 'UTILITY', 'AUTHENTICATION'];

type Template = typeof templateShape extends Wire<infer T> ? Answer<T> : never;

/** The templates of the workspace's accounts; they are made and changed at the platform. */
export const templatePages = definePages([
  { method: 'GET', path, scope, run: listPage },
  { method: 'GET', path: `${path}:template_id/`, scope, run: onePage },
]);

const shown = (): readonly Column<Template>[] => [
  {
    label: columns.name,
    class: 'break',
    show: ({ template_id: id, name }) => <a href={`${path}${encodeURIComponent(id)}/`}>{name}</a>,
  },
  { label: columns.language, show: ({ language }) => language },
  { label: columns.category, show: ({ category }) => wordsOf(category) },
  {
    label: columns.status,
    show: (template) => (
      <>
        <StateTag {...template} />
        {refusalOf(template) && (
          <>
            <br />
            <span class="bad small">{refusalOf(template)}</span>
          </>
        )}
      </>
    ),
  },
];

async function listPage(page: PageRequest): Promise<PageAnswer> {
  const { status, category, cursor } = page.query;
  const list = await readPage(page, templateShape, 'templates.list', { status, category, cursor, page_size: 50 });
  const choices = (values: readonly string[], all: string) =>
    optionsOf([['', all], ...values.map((value) => [value, wordsOf(value)] as const)]);
  const chosen = [
    filterView('status', filters.status, choices(states, filters.anyStatus), status),
    filterView('category', filters.category, choices(categories, filters.anyCategory), category),
  ];
  const isNarrowed = status !== undefined || category !== undefined;
  const body = (
    <>
      <Head title={templates.title} />
      <p class="soft">{templates.about}</p>
      <form class="filter-form" method="get" action={path}>
        <Filters filters={chosen} />
        <button class="button" type="submit">
          {templates.show}
        </button>
      </form>
      {list.items.length === 0 ? (
        <NothingFits icon="layout-template" {...templates.empty} path={isNarrowed ? path : null} />
      ) : (
        <Table label={templates.title} columns={shown()} items={list.items} />
      )}
      <Pager pager={pagerView(list, path, { status, category })} />
    </>
  );
  return settingsPage(page, body, { section, title: templates.title });
}

async function onePage(page: PageRequest): Promise<PageAnswer> {
  const { template_id: id } = page.params;
  const template = await readOne(page, templateShape, 'templates.get', { template_id: id });
  const { name, components } = template;
  const carousel = objectsOf(components).find(({ type }) => String(type).toUpperCase() === 'CAROUSEL');
  const cards = objectsOf(carousel?.['cards']).map((card) => card['components']);
  const facts = [
    [columns.language, template.language],
    [columns.category, wordsOf(template.category)],
    [columns.id, template.template_id],
    [columns.account, template.msgapp_account_id],
  ] as const;
  const body = (
    <>
      <Head title={name} back={{ href: path, label: templates.title }} style="break">
        <StateTag {...template} />
      </Head>
      {refusalOf(template) && (
        <div class="note note-bad">
          <p>{templates.refused(refusalOf(template))}</p>
        </div>
      )}
      <Facts facts={facts} />
      <h2>{templates.reads}</h2>
      {[components, ...cards].map((parts) => (
        <Sample parts={parts} />
      ))}
    </>
  );
  return settingsPage(page, body, { section, title: name });
}

function StateTag({ status }: Template): Html {
  return <Tag {...statusTag(status, wordsOf(status).toLowerCase())} />;
}

/** What a customer reads, with the examples of the platform's review in its placeholders. */
function Sample({ parts }: { readonly parts: unknown }): Html {
  const { headerMedia, header, body, footer, buttons } = previewTemplate(parts, exampleValues(parts));
  return (
    <figure class="sample">
      <div class="says">
        {headerMedia && (
          <p class="soft small">
            <Icon name="paperclip" /> {templates.file(headerMedia)}
          </p>
        )}
        {header && (
          <p dir="auto">
            <strong>{header}</strong>
          </p>
        )}
        {body ? <p dir="auto">{body}</p> : <p class="soft">{templates.written}</p>}
        {footer && (
          <p class="soft small" dir="auto">
            {footer}
          </p>
        )}
        {buttons.map((label) => (
          <p class="says-button">{label}</p>
        ))}
      </div>
    </figure>
  );
}

/** Returns why the platform refused a template; empty: it did not. */
const refusalOf = ({ rejected_reason: reason }: Template): string =>
  ['', 'NONE'].includes(reason) ? '' : wordsOf(reason);

/** Returns a word of the platform as people write it: `INVALID_FORMAT` is `Invalid format`. */
function wordsOf(word: string): string {
  return sentence(valueWord(word.toLowerCase()));
}
