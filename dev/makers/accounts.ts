/*
 * Accounts of the sandbox, for tests and figures. The demo's is made step by step, so that a start that was interrupted
 * goes on (dev/demo/provision.ts).
 */
import { randomBytes } from 'node:crypto';
import type { Ctx } from '../../api/core/context';
import { connectAccount } from '../../api/services/resources/accounts/service';
import { syncAccount } from '../../api/services/processes/upstreamSync/service';
import { demoAccount } from '../sandbox/demo';

type Json = Record<string, unknown>;

/** What the platform and the service know of each other. */
interface Secrets {
  readonly accessToken: string;
  readonly appSecret: string;
  readonly verifyToken: string;
}

/** Ids of an account's own, which follow from a number. */
interface AccountIds {
  readonly businessAccountId: string;
  /** The first number, which sends; the second is `secondPhoneNumberId`. */
  readonly phoneNumberId: string;
  readonly secondPhoneNumberId: string;
}

/** An account that is not the only one of its sandbox. */
export type OwnAccount = AccountIds & Secrets;

/** Draws what nobody else knows. */
export function drawSecrets(): Secrets {
  const secret = (): string => randomBytes(12).toString('hex');
  return { accessToken: secret(), appSecret: secret(), verifyToken: secret() };
}

/** Returns an account under ids of its own. */
export function ownAccount(number: number, secrets: Secrets): OwnAccount {
  return {
    businessAccountId: `77${number}`,
    phoneNumberId: `88${number}1`,
    secondPhoneNumberId: `88${number}2`,
    ...secrets,
  };
}

/** The demo account's templates in their order: ticket_update takes two values, login_code is for authentication. */
const templates = ['ticket_update', 'delivery_scheduled', 'spring_sale', 'login_code', 'feedback_request'] as const;

/** Returns the id of a template of an account. */
export function ownTemplate({ businessAccountId }: AccountIds, name: (typeof templates)[number]): string {
  return `56${businessAccountId}${templates.indexOf(name)}`;
}

/** Returns what the sandbox is told of an account: what the demo has, with ids of its own. */
export function ownAccountBody(account: OwnAccount, webhookUrl: string): Json {
  const { businessAccountId, phoneNumberId, secondPhoneNumberId, ...secrets } = account;
  const demo = demoAccount({ ...secrets, webhookUrl });
  const numbered = (list: unknown, prefix: string): Json[] =>
    (list as Json[]).map((item, index) => ({ ...item, id: `${prefix}${businessAccountId}${index}` }));
  const [first, second] = demo['phone_numbers'] as Json[];
  return {
    ...demo,
    business_account_id: businessAccountId,
    catalog_id: `99${businessAccountId}`,
    phone_numbers: [
      { ...first, id: phoneNumberId },
      { ...second, id: secondPhoneNumberId },
    ],
    templates: numbered(demo['templates'], '56'),
    flows: numbered(demo['flows'], '57'),
    products: numbered(demo['products'], '58'),
  };
}

/** Tells the sandbox of an account, connects the workspace to it, and copies what the account has. */
export async function connectToSandbox(ctx: Ctx, body: Json, tell: (body: Json) => unknown): Promise<void> {
  await tell(body);
  const text = (name: string): string => String(body[name]);
  const { id } = await connectAccount(ctx, {
    accountId: text('business_account_id'),
    accessToken: text('access_token'),
    appSecret: text('app_secret'),
    verifyToken: text('verify_token'),
  });
  await syncAccount(ctx, id);
}
