import type { Answer, Wire } from '../../../core/http/shapes';
import { accountStandingShape } from '../../../services/resources/accounts/accountStatus';
import { sentence, type TagView } from '../fieldViews';
import { numberText } from '../formats';
import type { Html } from '../html';
import { definePages, type PageRequest } from '../page';
import { Empty, Tag } from '../parts';
import { readList } from '../typedCalls';
import { words } from '../words';
import { settingsPage } from './settings';
import { Head } from '../headParts';
import { Table, type Column } from './settingsParts';
import { valueWord } from '../valueWord';

const { numbers } = words;
const { columns } = numbers;

type Account = typeof accountStandingShape extends Wire<infer T> ? Answer<T> : never;
type PhoneNumber = Account['numbers'][number];

/** The numbers of the workspace, as they are at the platform. */
export const numberPages = definePages([
  {
    method: 'GET',
    path: '/dashboard/numbers/',
    scope: 'workspace.manage',
    run: async (page) => {
      const accounts = await readList(page, accountStandingShape, 'accounts.list');
      const command = `npm run admin -- workspace update ${page.workspace.id} --business-account-id YOUR_ACCOUNT_ID \\
  --access-token - --app-secret - --verify-token -
npm run admin -- sync --workspace ${page.workspace.id}`;
      const body = (
        <>
          <Head title={numbers.title} />
          <p class="soft">{numbers.about}</p>
          {accounts.length === 0 && (
            <>
              <Empty icon="phone" {...numbers.empty} />
              <pre class="code">{command}</pre>
            </>
          )}
          {accounts.map((account) => (
            <AccountPanel page={page} account={account} />
          ))}
        </>
      );
      return settingsPage(page, body, { section: 'numbers', title: numbers.title });
    },
  },
]);

const shown = (): readonly Column<PhoneNumber>[] => [
  {
    label: columns.number,
    show: (number) => (
      <>
        <strong>{number.display_phone_number || number.phone_number_id}</strong>
        <br />
        <span class="soft" dir="auto">
          {number.verified_name || numbers.noName}
        </span>
        {problemsOf(number).map((problem) => (
          <>
            <br />
            <span class="bad small">{problem}</span>
          </>
        ))}
      </>
    ),
  },
  { label: columns.status, show: (number) => <Tag {...stateOf(number)} /> },
  { label: columns.quality, show: ({ quality_rating: quality }) => <Tag {...qualityOf(quality)} /> },
  { label: columns.limit, show: ({ messaging_limit_tier: tier }) => limitText(tier) },
];

/** An account with its numbers, and what stops all of them. */
function AccountPanel({ page, account }: { readonly page: PageRequest; readonly account: Account }): Html {
  const {
    name,
    msgapp_business_account_id: id,
    synced_at: syncedAt,
    stopped_code: code,
    stopped_reason: why,
  } = account;
  const title = name || numbers.account(id);
  const problems = [
    ...(code === null ? [] : [numbers.stopped.account(why ?? '', code)]),
    ...(account.payment_refused_at === null ? [] : [numbers.unpaid]),
  ];
  return (
    <section class="panel account">
      <h2>{title}</h2>
      <p class="soft small">
        {name && `${numbers.account(id)} · `}
        {syncedAt === null ? (
          numbers.notSynced
        ) : (
          <>
            {numbers.synced} {page.timePart(syncedAt, 'full')}
          </>
        )}
      </p>
      {problems.map((problem) => (
        <div class="note note-bad">
          <p>{problem}</p>
        </div>
      ))}
      {account.numbers.length === 0 ? (
        <p class="soft">{numbers.none}</p>
      ) : (
        <Table label={numbers.numbersOf(title)} columns={shown()} items={account.numbers} />
      )}
    </section>
  );
}

/** Returns what keeps a number from sending. */
function problemsOf({ is_held: isHeld, held_reason: reason, stopped_code: code, stopped_reason: why }: PhoneNumber) {
  return [
    ...(isHeld ? [reason ? numbers.heldBecause(reason) : numbers.held] : []),
    ...(code === null ? [] : [numbers.stopped.number(why ?? '', code)]),
  ];
}

function stateOf({ status, is_held: isHeld, stopped_code: code }: PhoneNumber): TagView {
  if (isHeld || code !== null) return { text: isHeld ? numbers.states.held : numbers.states.stopped, style: 'tag-bad' };
  const text = status.toLowerCase().replaceAll('_', ' ');
  return {
    text: text === '' ? numbers.states.unknown : valueWord(text),
    style: text === 'connected' ? 'tag-good' : 'tag-warn',
  };
}

const qualityStyles = { GREEN: 'tag-good', YELLOW: 'tag-warn', RED: 'tag-bad' } as const;

function qualityOf(rating: string): TagView {
  const known = (['GREEN', 'YELLOW', 'RED'] as const).find((one) => one === rating.toUpperCase());
  return known
    ? { text: numbers.qualities[known], style: qualityStyles[known] }
    : { text: numbers.notRated, style: '' };
}

/** Says how many people a day a limit lets broadcasts reach. */
function limitText(tier: string): string {
  const [, count, thousands] = /^TIER_(\d+)(K?)$/.exec(tier) ?? [];
  if (count !== undefined) return numbers.limit(numberText(Number(count) * (thousands ? 1_000 : 1)));
  if (tier === 'TIER_UNLIMITED') return numbers.noLimit;
  return sentence(tier.toLowerCase().replaceAll('_', ' ')) || numbers.limitUnknown;
}
