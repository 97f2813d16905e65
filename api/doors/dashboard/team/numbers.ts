import type { AccountStanding } from '../../../services/resources/accounts/standing';
import { sentence, statusTag, type TagView } from '../fieldViews';
import { numberText } from '../formats';
import { definePages } from '../page';
import { settingsPage } from './settings';

const path = '/dashboard/numbers/';
const scope = 'workspace.manage';
const section = 'numbers';

/** An account as its operation gives it. */
type Account = Omit<AccountStanding, 'account_id' | 'read_at' | 'payment_refused_at'> & {
  readonly msgapp_business_account_id: string;
  readonly synced_at: string | null;
  readonly payment_refused_at: string | null;
};
type PhoneNumber = Account['numbers'][number];

/** An account with its numbers, as the page shows them. */
interface AccountView {
  readonly title: string;
  /** The platform's id, where the title is a name; else empty. */
  readonly id: string;
  readonly syncedAt: string | null;
  /** What stops all of its numbers; empty: nothing. */
  readonly problems: readonly string[];
  readonly numbers: readonly NumberView[];
}

interface NumberView {
  readonly name: string;
  readonly number: string;
  readonly state: TagView;
  readonly quality: TagView;
  readonly limit: string;
  /** What keeps it from sending; empty: nothing. */
  readonly problems: readonly string[];
}

const qualities: Readonly<Record<string, TagView>> = {
  GREEN: { text: 'high', style: 'tag-good' },
  YELLOW: { text: 'medium', style: 'tag-warn' },
  RED: { text: 'low', style: 'tag-bad' },
};

/** The numbers of the workspace, as they are at the platform. */
export const numberPages = definePages([
  {
    method: 'GET',
    path,
    scope,
    run: async (page) => {
      const accounts = (await page.call<readonly Account[]>('accounts.list')).map(accountView);
      const command = `npm run admin -- workspace update ${page.workspace.id} --business-account-id YOUR_ACCOUNT_ID \\
  --access-token - --app-secret - --verify-token -
npm run admin -- sync --workspace ${page.workspace.id}`;
      return settingsPage(page, '/settings/numbers', { accounts, command }, { section, title: 'Numbers' });
    },
  },
]);

function accountView(account: Account): AccountView {
  const { name, msgapp_business_account_id: id } = account;
  return {
    title: name || `Account ${id}`,
    id: name ? id : '',
    syncedAt: account.synced_at,
    problems: [
      ...(account.stopped_code === null ? [] : [stoppedText('account', account)]),
      ...(account.payment_refused_at === null
        ? []
        : ['The platform delivers nothing that has to be paid for: its payment was refused.']),
    ],
    numbers: account.numbers.map(numberView),
  };
}

function numberView(number: PhoneNumber): NumberView {
  const { status, quality_rating: quality, messaging_limit_tier: tier, held_reason: reason } = number;
  const words = status.toLowerCase().replaceAll('_', ' ');
  const isOff = number.is_held || number.stopped_code !== null;
  return {
    name: number.verified_name || 'No name yet',
    number: number.display_phone_number || number.phone_number_id,
    state: isOff
      ? { text: number.is_held ? 'held' : 'stopped', style: 'tag-bad' }
      : { text: words || 'unknown', style: words === 'connected' ? 'tag-good' : 'tag-warn' },
    quality: qualities[quality.toUpperCase()] ?? statusTag('', 'not rated'),
    limit: limitText(tier),
    problems: [
      ...(number.is_held
        ? [reason ? `Held by the operator: ${reason}` : 'Sending is held by whoever operates this installation.']
        : []),
      ...(number.stopped_code === null ? [] : [stoppedText('number', number)]),
    ],
  };
}

function stoppedText(
  what: string,
  { stopped_code: code, stopped_reason: reason }: Pick<PhoneNumber, 'stopped_code' | 'stopped_reason'>,
): string {
  return `The platform refuses the ${what}: ${reason ?? ''} (${code}).`;
}

/** Says how many people a day a limit lets broadcasts reach. */
function limitText(tier: string): string {
  const [, count, thousands] = /^TIER_(\d+)(K?)$/.exec(tier) ?? [];
  if (count !== undefined) return `${numberText(Number(count) * (thousands ? 1_000 : 1))} people a day`;
  return tier === 'TIER_UNLIMITED' ? 'No limit' : sentence(tier.toLowerCase().replaceAll('_', ' ')) || 'Not known';
}
