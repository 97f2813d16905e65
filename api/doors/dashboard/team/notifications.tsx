import { noticeLevels } from '../../../../models/enums';
import { cut } from '../../../core/text/cut';
import type { FieldErrors } from '../../../core/http/errors';
import type { Answer, Wire } from '../../../core/http/shapes';
import { vapidPublicKey } from '../../../core/http/webPush';
import { browserShape, noticeShape, settingsShape } from '../../../services/resources/notices/serializer';
import { Filled } from '../filled';
import type { Html } from '../html';
import { definePages, type PageRequest } from '../page';
import { Errors, Field, Form } from '../parts';
import { readList, readOne } from '../typedCalls';
import { words } from '../words';
import { NextHead } from './settingsParts';

const { notifications } = words;
const { fields, browsers: browserWords } = notifications;
const accountPath = '/dashboard/account/';
const maxBrowserLetters = 120;

const kinds = ['notify_assigned', 'notify_message', 'notify_unassigned', 'notify_mention', 'notify_held'] as const;

/** What members are told of: the part that pages ask for, and the browsers that take web push. */
export const notificationPages = definePages([
  {
    method: 'GET',
    path: '/dashboard/notices/',
    // Every page asks by itself, whatever its member may see.
    scope: null,
    run: async (page) =>
      page.part(noticeList(page.may('notices.list') ? await readList(page, noticeShape, 'notices.list') : [])),
  },
  {
    method: 'POST',
    path: `${accountPath}browsers/`,
    scope: null,
    run: async (page) => {
      const { endpoint, p256dh, auth } = page.form;
      await page.call('pushSubscriptions.create', { endpoint, keys: { p256dh, auth } });
      return page.redirect(accountPath);
    },
  },
  {
    method: 'POST',
    path: `${accountPath}browsers/:id/remove/`,
    scope: null,
    run: async (page) => {
      await page.call('pushSubscriptions.delete', { id: page.params['id'] });
      return page.redirect(accountPath, { text: browserWords.removed });
    },
  },
]);

type Notice = typeof noticeShape extends Wire<infer T> ? Answer<T> : never;

function noticeList(notices: readonly Notice[]): Html {
  return (
    <ol>
      {notices.map(({ id, kind, created_at: at, title, body, href, is_quiet: isQuiet, sounds }) => (
        <li
          data-id={id}
          data-kind={kind}
          data-at={at}
          data-title={title}
          data-href={href}
          data-quiet={isQuiet ? '' : undefined}
          data-sounds={sounds ? '' : undefined}
        >
          {body}
        </li>
      ))}
    </ol>
  );
}

/** What was typed and refused. */
export interface RefusedNotifications {
  readonly values: Readonly<Record<string, string>>;
  readonly errors: FieldErrors;
}

/** Draws how the member is told, for the page of their account. */
export async function notificationForms(page: PageRequest, refused?: RefusedNotifications): Promise<Html> {
  const stored = await readOne(page, settingsShape, 'notificationSettings.get');
  const values: Readonly<Record<string, unknown>> = { ...stored, ...refused?.values };
  const errors = refused?.errors;
  const levels = noticeLevels.map((value) => ({ value, label: notifications.levels[value] }));
  return (
    <>
      <NextHead title={notifications.title} />
      <Form
        class="column"
        action={`${accountPath}notifications/`}
        csrf={page.csrf}
        data-unsaved={errors ? '' : undefined}
      >
        <Errors errors={errors} fields={['quiet_from', 'quiet_until']} />
        {kinds.map((name) => (
          <Field
            name={name}
            label={notifications.kinds[name]}
            type="select"
            options={levels}
            value={values[name]}
            errors={errors}
          />
        ))}
        <Field
          name="notify_sound"
          {...fields.notify_sound}
          type="checkbox"
          value={values['notify_sound']}
          errors={errors}
        />
        <Field
          name="quiet_from"
          {...fields.quiet_from}
          type="time"
          value={values['quiet_from']}
          errors={errors}
          optional
        />
        <Field
          name="quiet_until"
          {...fields.quiet_until}
          hint={page.workspace.timezone}
          type="time"
          value={values['quiet_until']}
          errors={errors}
          optional
        />
        {page.may('notificationSettings.update') && (
          <div class="actions">
            <button class="button" type="submit">
              {notifications.save}
            </button>
          </div>
        )}
      </Form>
      <NextHead title={browserWords.title} />
      {await browserRows(page)}
      {thisBrowser(page)}
    </>
  );
}

/** The browsers that take web push. */
async function browserRows(page: PageRequest): Promise<Html> {
  const browsers = await readList(page, browserShape, 'pushSubscriptions.list');
  if (browsers.length === 0) return <></>;
  return (
    <ul class="rows" id="browsers">
      {browsers.map(({ id, user_agent: agent, is_current: isCurrent, created_at: at }) => {
        const name = cut(agent, maxBrowserLetters) || browserWords.unknown;
        return (
          <li class="row-item" data-current={isCurrent ? '' : undefined}>
            <div>
              <strong class="break">{name}</strong>
              <br />
              <span class="soft small">
                <Filled text={browserWords.since} parts={{ since: page.timePart(at, 'full') }} />
              </span>
            </div>
            {page.may('pushSubscriptions.delete') && (
              <Form action={`${accountPath}browsers/${id}/remove/`} csrf={page.csrf}>
                <button class="button button-small" type="submit">
                  {browserWords.remove}
                  <span class="visually-hidden"> {name}</span>
                </button>
              </Form>
            )}
          </li>
        );
      })}
    </ul>
  );
}

/** Shows whether this browser has notifications of its own: `assets/notices.js` says so, and turns them on and off. */
function thisBrowser(page: PageRequest): Html {
  const { vapid } = page.ctx.runtime.config;
  return (
    <div id="this-browser" data-key={vapid ? vapidPublicKey(vapid) : undefined}>
      <p class="soft" data-says="">
        {browserWords.about} {!vapid && browserWords.noPush}
      </p>
      {page.may('pushSubscriptions.create') && (
        <div class="actions">
          <button class="button" type="button" data-does="on" hidden>
            {browserWords.on}
          </button>
          <button class="button" type="button" data-does="off" hidden>
            {browserWords.off}
          </button>
        </div>
      )}
    </div>
  );
}
