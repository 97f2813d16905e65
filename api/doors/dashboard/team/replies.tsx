import type { FieldErrors } from '../../../core/http/errors';
import type { AnswerOf } from '../../../core/http/shapes';
import { replyShape } from '../../../services/resources/cannedReplies/serializer';
import { fieldOf, knownFields, readFields, type DeclaredField } from '../declaredForms';
import { Icon, type Html } from '../html';
import { definePages, type PageAnswer, type PageRequest } from '../page';
import { Empty, Errors, Field, Form, Removal } from '../parts';
import { askToDelete } from '../plainPages';
import { readList, readOne } from '../typedCalls';
import { words } from '../words';
import { Head, NewLink } from '../headParts';

const { common, replies } = words;
const path = '/dashboard/replies/';
const place = 'replies';
const scope = 'chat.view';

type Reply = AnswerOf<typeof replyShape>;

/** A file of a reply as its form shows it; one that was unticked stays there until the form is saved. */
interface ReplyFile {
  readonly id: string;
  readonly filename: string;
  readonly isChosen?: boolean;
}

const find = (page: PageRequest): Promise<Reply> =>
  readOne(page, replyShape, 'cannedReplies.get', { id: page.params['id'] });

/** Texts that are sent again and again: the team's and the member's own. */
export const replyPages = definePages([
  { method: 'GET', path, scope, run: showList },
  { method: 'GET', path: `${path}new/`, scope, run: (page) => Promise.resolve(showForm(page, null, {}, [])) },
  {
    method: 'POST',
    path: `${path}new/`,
    scope,
    run: async (page) => {
      const values = typed(page, null);
      const made = await page.attempt(() => readOne(page, replyShape, 'cannedReplies.create', values));
      if ('errors' in made) return showForm(page, null, values, typedFiles(page), made.errors);
      return page.redirect(path, { text: replies.made(page.form['shortcut'] ?? '') });
    },
  },
  {
    method: 'GET',
    path: `${path}:id/`,
    scope,
    run: async (page) => {
      const reply = await find(page);
      return showForm(page, reply, reply, reply.files);
    },
  },
  {
    method: 'POST',
    path: `${path}:id/`,
    scope,
    run: async (page) => {
      const reply = await find(page);
      const values = typed(page, reply);
      const saved = await page.attempt(() => page.call('cannedReplies.update', { id: reply.id, ...values }));
      if ('errors' in saved) return showForm(page, reply, values, typedFiles(page), saved.errors);
      return page.redirect(path, { text: replies.saved });
    },
  },
  {
    method: 'POST',
    path: `${path}:id/delete/`,
    scope,
    confirm: askToDelete(replies.delete),
    run: async (page) => {
      await page.call('cannedReplies.delete', { id: page.params['id'] });
      return page.redirect(path, { text: replies.deleted });
    },
  },
]);

function mayChange(page: PageRequest, reply: Pick<Reply, 'is_shared'>): boolean {
  return page.may('cannedReplies.update') && (!reply.is_shared || page.can('workspace.manage'));
}

async function showList(page: PageRequest): Promise<PageAnswer> {
  const found = await readList(page, replyShape, 'cannedReplies.list');
  const { empty } = replies;
  const emptyText = (
    <>
      {empty.before}
      <kbd>/</kbd>
      {empty.after}
    </>
  );
  const body = (
    <div class="column column-wide">
      <Head title={replies.title}>
        {page.may('cannedReplies.create') && <NewLink href={`${path}new/`} text={replies.new} />}
      </Head>
      {found.length === 0 && <Empty icon="text-quote" title={empty.title} text={emptyText} />}
      <ul class="rows">
        {found.map((reply) => (
          <Row reply={reply} mayChange={mayChange(page, reply)} />
        ))}
      </ul>
    </div>
  );
  return page.page(body, { title: replies.title, place });
}

function Row({ reply, mayChange: isMine }: { readonly reply: Reply; readonly mayChange: boolean }): Html {
  const { id, shortcut, body, is_shared: isShared, files } = reply;
  return (
    <li class="row-item">
      <div>
        <strong>/{shortcut}</strong> <span class="tag">{isShared ? replies.team : replies.own}</span>
        <br />
        <span class="soft small break" dir="auto">
          {body}
        </span>
        {files.map(({ filename }) => (
          <>
            <br />
            <span class="soft small break" dir="auto">
              <Icon name="paperclip" />
              {filename}
            </span>
          </>
        ))}
      </div>
      {isMine && (
        <a class="button button-small" href={`${path}${id}/`}>
          {common.edit}
          <span class="visually-hidden"> /{shortcut}</span>
        </a>
      )}
    </li>
  );
}

type Name = keyof typeof replies.fields;

/** The fields of the form beside its files. Whose a reply is can be said of a new one. */
function fieldsFor(page: PageRequest, reply: Reply | null): ReturnType<typeof knownFields> {
  const declared: readonly DeclaredField<Name>[] = [
    { name: 'shortcut', attributes: { autocomplete: 'off' } },
    { name: 'body', as: 'textarea' },
    { name: 'is_shared', hidden: reply !== null || !page.can('workspace.manage') },
  ];
  const create = page.operations.get('cannedReplies.create')?.body;
  return knownFields(declared, reply ? page.operations.get('cannedReplies.update')?.body : create, create);
}

const typed = (page: PageRequest, reply: Reply | null): Readonly<Record<string, unknown>> => ({
  ...readFields(page, fieldsFor(page, reply)),
  media_ids: page.all('media_ids'),
});

/** Returns the files of the form as they were sent, each with the name that came beside its box. */
function typedFiles(page: PageRequest): ReplyFile[] {
  const chosen = page.all('media_ids');
  return page.entries.flatMap(([field, filename]) => {
    const id = /^filename\.(.+)$/.exec(field)?.[1];
    return id === undefined ? [] : [{ id, filename, isChosen: chosen.includes(id) }];
  });
}

function showForm(
  page: PageRequest,
  reply: Reply | null,
  values: Readonly<Record<string, unknown>>,
  files: readonly ReplyFile[],
  errors?: FieldErrors,
): PageAnswer {
  const heading = reply ? `/${reply.shortcut}` : replies.newTitle;
  const action = `${path}${reply?.id ?? 'new'}/`;
  const isMine = reply ? mayChange(page, reply) : page.may('cannedReplies.create');
  const [shortcut, text, shared] = fieldsFor(page, reply).map((field) => (
    <Field {...fieldOf(field, replies.fields[field.name as Name], values[field.name], errors)} />
  ));
  const body = (
    <>
      <Head title={heading} back={{ href: path, label: replies.title }} />
      <Form class="panel column" action={action} csrf={page.csrf}>
        <Errors errors={errors} fields={[...Object.keys(replies.fields), 'media_ids']} />
        {shortcut}
        {text}
        <Files
          files={files}
          error={(errors?.['media_ids'] ?? []).join(' ')}
          mayAdd={isMine && page.may('media.create')}
        />
        {shared}
        <div class="actions">
          {isMine && (
            <button class="button button-main" type="submit">
              {common.save}
            </button>
          )}{' '}
          <a class="button" href={path}>
            {common.cancel}
          </a>
        </div>
      </Form>
      {reply && isMine && (
        <Removal
          action={`${action}delete/`}
          csrf={page.csrf}
          icon="trash"
          text={replies.delete.button}
          ask={{ title: replies.delete.named(heading), text: replies.delete.text, button: common.delete }}
        />
      )}
    </>
  );
  return page.page(body, { title: heading, place, ...(errors ? { status: 422 } : {}) });
}

interface FilesGiven {
  readonly files: readonly ReplyFile[];
  readonly error: string;
  readonly mayAdd: boolean;
}

/** The files of a reply; others are uploaded beside them (`attach.js`). */
function Files({ files, error, mayAdd }: FilesGiven): Html {
  return (
    <fieldset class="checks" aria-describedby="files-about">
      <legend class="label">{replies.files.title}</legend>
      <div id="files-about">
        <p class="hint" role="status" data-uploaded="">
          {replies.files.hint}
        </p>
        {error && <p class="field-error">{error}</p>}
      </div>
      <ul class="choices" id="reply-files">
        {files.map(({ id, filename, isChosen = true }) => (
          <li>
            <label class="choice">
              <input type="checkbox" name="media_ids" value={id} checked={isChosen} />
              <span class="choice-name break" dir="auto">
                {filename}
              </span>
            </label>
            <input type="hidden" name={`filename.${id}`} value={filename} />
          </li>
        ))}
      </ul>
      {mayAdd && (
        <div class="field scripted-only">
          <label for="add-files">{replies.files.add}</label>
          <input id="add-files" type="file" multiple data-uploads-into="#reply-files" />
        </div>
      )}
    </fieldset>
  );
}
