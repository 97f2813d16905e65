import { Icon, type Html } from './html';
import type { Confirmation } from './fieldViews';
import type { PageAnswer, PageRequest } from './page';
import { Form } from './parts';
import { words } from './words';

const { plain, common } = words;

/** Answers with what could not be done, and why. */
export function problemPage(page: PageRequest, status: number, given: Readonly<Record<string, string>>): PageAnswer {
  const { title = '', message, back } = given;
  const body = (
    <div class="empty">
      <Icon name="circle-alert" />
      <h1>{title}</h1>
      <p>{message}</p>
      <p>
        <a class="button" href={back}>
          {plain.goBack}
        </a>
      </p>
    </div>
  );
  return page.page(body, { title, place: '', status });
}

/** Asks before what cannot be undone is done, where no script did so. */
export function confirmPage(page: PageRequest, { title, text, button }: Confirmation, back: string): PageAnswer {
  const body = (
    <div class="column">
      <h1>{title}</h1>
      <p>{text}</p>
      <Form action={page.req.originalUrl} csrf={page.csrf}>
        <input type="hidden" name="confirmed" value="yes" />
        <Hidden fields={page.entries.filter(([name]) => name !== 'csrf')} />
        <div class="actions">
          <a class="button" href={back}>
            {common.cancel}
          </a>
          <button class="button button-bad" type="submit">
            {button}
          </button>
        </div>
      </Form>
    </div>
  );
  return page.page(body, { title, place: '' });
}

/** Returns what asks before something is deleted, in the words of its subject. */
export function askToDelete(asked: Pick<Confirmation, 'title' | 'text'>): () => Promise<Confirmation> {
  return () => Promise.resolve({ title: asked.title, text: asked.text, button: common.delete });
}

/** What a form carries along. */
export function Hidden({ fields }: { readonly fields: readonly (readonly [string, string])[] }): Html {
  return (
    <>
      {fields.map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
    </>
  );
}

/** Greets a member whose permissions open no page. */
export function welcomePage(page: PageRequest): PageAnswer {
  const { title, to, text } = plain.welcome;
  const body = (
    <div class="empty">
      <Icon name="shield-check" />
      <h1>{to(page.workspace.name)}</h1>
      <p>{text}</p>
    </div>
  );
  return page.page(body, { title, place: '' });
}
