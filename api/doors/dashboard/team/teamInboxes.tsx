import { assignmentModes } from '../../../../models/enums';
import type { FieldErrors } from '../../../core/http/errors';
import type { Answer, Wire } from '../../../core/http/shapes';
import { assignmentShape } from '../../../services/resources/inboxes/assignment/operations';
import { teamInboxShape } from '../../../services/resources/inboxes/serializer';
import type { Html } from '../html';
import { loadMembers, memberNames } from '../lookups';
import { definePages, type PageRequest } from '../page';
import { Errors, Field, Form } from '../parts';
import { readOne } from '../typedCalls';
import { words } from '../words';
import { resourcePages } from './resourcePages';

const { teamInboxes } = words;
const path = '/dashboard/team-inboxes/';
const scope = 'workspace.manage';
const capacityPrefix = 'capacity-';

type TeamInbox = typeof teamInboxShape extends Wire<infer T> ? Answer<T> : never;

/** Team inboxes and who sits in them. */
const { routes, find, show } = resourcePages({
  path,
  section: 'inboxes',
  icon: 'inbox',
  operations: 'teamInboxes',
  shape: teamInboxShape,
  view: 'inbox.view',
  manage: scope,
  words: teamInboxes,
  fresh: { member_ids: [] },
  nameOf: ({ name }) => name,
  list: {
    entries: async (page) => {
      const names = memberNames(await loadMembers(page));
      return ({ name, description, is_default: isDefault, member_ids: members }) => {
        const people = members.map((member) => names.get(member) ?? String(member)).join(', ');
        return { name, isDefault, lines: [...(description ? [description] : []), people || teamInboxes.nobody] };
      };
    },
  },
  fields: async (page, inbox) => {
    const members = (await loadMembers(page)).filter(({ is_active: isActive }) => isActive);
    return [
      { name: 'name' },
      { name: 'description', optional: true },
      {
        name: 'member_ids',
        options: members.map(({ id, name, email }) => ({ value: id, label: name || email, detail: email })),
      },
      { name: 'is_default', hidden: inbox?.is_default ?? true },
    ];
  },
  // One inbox is the default, always: it is chosen, and never given up.
  sent: ({ is_default: isDefault, ...values }) => (isDefault === 'true' ? { ...values, is_default: true } : values),
  isWide: true,
  below: assignmentForm,
});

/** The form that says how a team inbox assigns. */
async function assignmentForm(page: PageRequest, inbox: TeamInbox, errors?: FieldErrors): Promise<Html> {
  const [{ mode, waiting, members, capacities }, everybody] = await Promise.all([
    readOne(page, assignmentShape, 'teamInboxes.assignment', { id: inbox.id }),
    loadMembers(page),
  ]);
  const names = memberNames(everybody);
  const { assignment } = teamInboxes;
  return (
    <>
      <div class="page-head page-head-next">
        <h2>{assignment.title}</h2>
      </div>
      <Form class="panel column" action={`${path}${inbox.id}/assignment/`} csrf={page.csrf}>
        <Errors errors={errors} fields={['mode']} />
        <Field
          name="mode"
          label={assignment.mode}
          type="select"
          options={assignmentModes.map((value) => ({ value, label: assignment.modes[value] }))}
          value={mode}
          errors={errors}
          hint={assignment.waiting(waiting)}
        />
        {members.map(({ member_id: id, is_present: isPresent, open }) => (
          <Field
            name={`${capacityPrefix}${id}`}
            label={assignment.capacity(names.get(id) ?? String(id))}
            type="number"
            value={capacities.find((one) => one.member_id === id)?.capacity ?? ''}
            hint={assignment.about(open, !isPresent)}
            attributes={{ min: 1, max: 10_000 }}
          />
        ))}
        {page.may('teamInboxes.changeAssignment') && (
          <div class="actions">
            <button class="button button-main" type="submit">
              {assignment.save}
            </button>
          </div>
        )}
      </Form>
    </>
  );
}

export const teamInboxPages = definePages([
  ...routes,
  {
    method: 'POST',
    path: `${path}:id/assignment/`,
    scope,
    run: async (page) => {
      const saved = await page.attempt(() => page.call('teamInboxes.changeAssignment', assignmentOf(page)));
      if (!('errors' in saved)) return page.redirect(path, { text: teamInboxes.assignment.saved });
      return show(page, await find(page), { belowErrors: saved.errors });
    },
  },
]);

/** Reads the form of the assignment. */
function assignmentOf(page: PageRequest): Record<string, unknown> {
  const capacities = page.entries
    .filter(([name]) => name.startsWith(capacityPrefix))
    .map(([name, capacity]) => ({
      member_id: name.slice(capacityPrefix.length),
      capacity: capacity === '' ? null : capacity,
    }));
  return { id: page.params['id'], mode: page.form['mode'], capacities };
}
