import type { FieldErrors } from '../../../core/http/errors';
import { ruleShape } from '../../../services/processes/ruleSettings/serializer';
import { Icon, type Html } from '../html';
import type { PageAnswer, PageRequest } from '../page';
import { asking, Empty, Errors, Field, Form } from '../parts';
import { readList } from '../typedCalls';
import { words } from '../words';
import { loadRuleChoices, type Rule, type RuleChoices } from './choices';
import { partsOf } from './draft';
import { attentionText, path, place, StateTag } from './head';
import { sentenceOf } from './sentence';
import { readyRules, type Starter } from './starters';
import { Sentence } from './told';

const { rules } = words;

const macroName = (rule: Rule, { macros }: RuleChoices): string =>
  macros.find(({ id }) => id === rule.macro_id)?.name ?? rules.sentence.noMacro;

/** Answers with all rules, those that are ready to take, and the brake. */
export async function listPage(page: PageRequest, errors?: FieldErrors): Promise<PageAnswer> {
  const [found, choices] = await Promise.all([readList(page, ruleShape, 'rules.list'), loadRuleChoices(page)]);
  const names = new Set(found.map(({ name }) => name));
  const ready = page.may('rules.create')
    ? readyRules(page.workspace).filter(({ draft }) => !names.has(draft.name))
    : [];
  const body = (
    <div class="column column-wide">
      <div class="page-head">
        <h1>{rules.title}</h1>
        {page.may('rules.create') && (
          <a class="button button-main" href={`${path}new/`} data-key="n">
            <Icon name="plus" />
            {rules.new}
          </a>
        )}
      </div>
      {found.length === 0 && <Empty icon="timer" {...rules.empty} />}
      <ul class="rows">
        {found.map((rule) => (
          <RuleRow rule={rule} choices={choices} />
        ))}
      </ul>
      {ready.length > 0 && (
        <>
          <h2>{rules.ready.title}</h2>
          <p class="soft">{rules.ready.text}</p>
          <ul class="rows">
            {ready.map((starter) => (
              <ReadyRow starter={starter} choices={choices} />
            ))}
          </ul>
        </>
      )}
      <Brake page={page} errors={errors} />
    </div>
  );
  return page.page(body, { title: rules.title, place, ...(errors ? { status: 422 } : {}) });
}

function RuleRow({ rule, choices }: { readonly rule: Rule; readonly choices: RuleChoices }): Html {
  const { id, name, state, counts, attention } = rule;
  const told = [
    ...(counts.waiting > 0 ? [rules.counts.waiting(counts.waiting)] : []),
    ...(counts.applied > 0 ? [rules.counts.applied(counts.applied)] : []),
    ...(counts.failed > 0 ? [rules.counts.failed(counts.failed)] : []),
  ];
  return (
    <li class="row-item">
      <div>
        <a href={`${path}${id}/`}>
          <span class="rule-name">{name}</span>
        </a>{' '}
        <StateTag state={state} />
        <br />
        <Sentence {...sentenceOf({ ...rule, macro: macroName(rule, choices) }, choices)} />
        <br />
        <span class="soft small">{told.join(' · ') || rules.counts.none}</span>
        {attention && <p class="small warn">{attentionText(attention.reason)}</p>}
      </div>
    </li>
  );
}

function ReadyRow({ starter, choices }: { readonly starter: Starter; readonly choices: RuleChoices }): Html {
  const { id, about, draft, macro } = starter;
  return (
    <li class="row-item">
      <div>
        <span class="rule-name">{draft.name}</span>
        <br />
        <Sentence {...sentenceOf({ ...partsOf(draft, choices), macro: macro.name }, choices)} />
        <br />
        <span class="soft small">{about}</span>
      </div>
      <a class="button button-small whole" href={`${path}new/?take=${id}`}>
        {rules.ready.take}
        <span class="visually-hidden">: {draft.name}</span>
      </a>
    </li>
  );
}

/** The brake, for who runs the workspace. */
function Brake({ page, errors }: { readonly page: PageRequest; readonly errors: FieldErrors | undefined }): Html {
  const isOn = page.workspace.rule_brake !== null;
  if (!page.may('rules.brake') || isOn) return <></>;
  const { brake } = rules;
  return (
    <details class="apart rule-brake" open={errors !== undefined}>
      <summary>{brake.button}</summary>
      <Form
        action={`${path}brake/`}
        csrf={page.csrf}
        {...asking({ title: brake.ask, text: brake.text, button: brake.button })}
      >
        <Errors errors={errors} fields={['reason']} />
        <input type="hidden" name="on" value="true" />
        <Field
          name="reason"
          label={brake.reason}
          hint={brake.hint}
          errors={errors}
          optional
          attributes={{ maxlength: 500 }}
        />
        <button class="button" type="submit">
          <Icon name="ban" />
          {brake.button}
        </button>
      </Form>
    </details>
  );
}
