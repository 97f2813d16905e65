import type { FieldErrors } from '../../../core/http/errors';
import { definePages, type PageAnswer, type PageRequest } from '../page';

const path = '/dashboard/replies/';
const place = 'replies';
const scope = 'chat.view';

/** A canned reply as its operations give it. */
interface Reply {
  readonly id: number;
  readonly shortcut: string;
  readonly body: string;
  readonly is_shared: boolean;
  readonly files: readonly ReplyFile[];
}

/** A file of a reply as its form shows it; one that was unticked stays there until the form is saved. */
interface ReplyFile {
  readonly id: string;
  readonly filename: string;
  readonly isChosen?: boolean;
}

/** A reply as a row of the list. */
interface ReplyRow extends Pick<Reply, 'shortcut' | 'body' | 'is_shared' | 'files'> {
  /** Where it is changed; empty: the member may not. */
  readonly path: string;
}

/** Texts that are sent again and again: the team's and the member's own. */
export const replyPages = definePages([
  {
    method: 'GET',
    path,
    scope,
    run: async (page) => {
      const found = await page.call<readonly Reply[]>('cannedReplies.list');
      const replies = found.map(({ id, ...reply }): ReplyRow => ({
        ...reply,
        path: mayChange(page, reply) ? `${path}${id}/` : '',
      }));
      return page.page('/replies/list', { replies, path }, { title: 'Canned replies', place });
    },
  },
  { method: 'GET', path: `${path}new/`, scope, run: (page) => Promise.resolve(form(page, null, {}, [])) },
  {
    method: 'POST',
    path: `${path}new/`,
    scope,
    run: async (page) => {
      const { shortcut, body, is_shared: shared = 'false' } = page.form;
      const values = { shortcut, body, is_shared: shared, media_ids: page.all('media_ids') };
      const made = await page.attempt(() => page.call('cannedReplies.create', values));
      if ('errors' in made) return form(page, null, values, typedFiles(page), made.errors);
      return page.redirect(path, { text: `The reply is saved. Type /${shortcut ?? ''} in a conversation.` });
    },
  },
  {
    method: 'GET',
    path: `${path}:id/`,
    scope,
    run: async (page) => {
      const reply = await page.call<Reply>('cannedReplies.get', { id: page.params['id'] });
      return form(page, reply, reply, reply.files);
    },
  },
  {
    method: 'POST',
    path: `${path}:id/`,
    scope,
    run: async (page) => {
      const { id } = page.params;
      const { shortcut, body } = page.form;
      const values = { shortcut, body, media_ids: page.all('media_ids') };
      const saved = await page.attempt(() => page.call('cannedReplies.update', { id, ...values }));
      if ('errors' in saved) {
        const reply = await page.call<Reply>('cannedReplies.get', { id });
        return form(page, reply, values, typedFiles(page), saved.errors);
      }
      return page.redirect(path, { text: 'The reply is saved.' });
    },
  },
  {
    method: 'POST',
    path: `${path}:id/delete/`,
    scope,
    confirm: { title: 'Delete this reply?', text: 'It cannot be brought back.', button: 'Delete' },
    run: async (page) => {
      await page.call('cannedReplies.delete', { id: page.params['id'] });
      return page.redirect(path, { text: 'The reply is deleted.' });
    },
  },
]);

function mayChange(page: PageRequest, reply: Pick<Reply, 'is_shared'>): boolean {
  return page.may('cannedReplies.update') && (!reply.is_shared || page.can('workspace.manage'));
}

/** Returns the files of the form as they were sent, each with the name that came beside its box. */
function typedFiles(page: PageRequest): ReplyFile[] {
  const chosen = page.all('media_ids');
  return page.entries.flatMap(([field, filename]) => {
    const id = /^filename\.(.+)$/.exec(field)?.[1];
    return id === undefined ? [] : [{ id, filename, isChosen: chosen.includes(id) }];
  });
}

function form(
  page: PageRequest,
  reply: Reply | null,
  values: object,
  files: readonly ReplyFile[],
  errors?: FieldErrors,
): PageAnswer {
  const heading = reply ? `/${reply.shortcut}` : 'New canned reply';
  return page.page(
    '/replies/form',
    {
      values,
      files: files.map(({ isChosen = true, ...file }) => ({ ...file, isChosen })),
      filesError: (errors?.['media_ids'] ?? []).join(' '),
      errors,
      path,
      heading,
      isNew: reply === null,
      mayShare: page.can('workspace.manage'),
      mayChange: reply === null ? page.may('cannedReplies.create') : mayChange(page, reply),
      action: `${path}${reply?.id ?? 'new'}/`,
    },
    { title: heading, place, ...(errors ? { status: 422 } : {}) },
  );
}
