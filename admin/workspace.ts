import { Option, type Command } from 'commander';
import { systemCtx } from '../api/core/context';
import type { Runtime } from '../api/core/runtime';
import { languages, type Language } from '../api/core/text/language';
import {
  connectAccount,
  listAccounts,
  setAccessToken,
  type BusinessAccountRecord,
} from '../api/services/resources/accounts/service';
import { recordSecurity } from '../api/services/identity/securityLog/service';
import { workspaceView } from '../api/services/identity/workspaces/serializer';
import { createWorkspace } from '../api/services/processes/workspaceSetup/service';
import { updateWorkspace, type WorkspaceRecord } from '../api/services/identity/workspaces/service';
import {
  cliRequestId,
  ctxOf,
  group,
  id,
  instant,
  repeated,
  requireSome,
  yesOrNo,
  type Deps,
  type Result,
} from './deps';

interface AccountOptions {
  readonly businessAccountId?: string;
  readonly accessToken?: string;
  readonly appSecret?: string;
  readonly verifyToken?: string;
}

interface WorkspaceOptions extends AccountOptions {
  readonly name?: string;
  readonly timezone?: string;
  readonly language?: Language;
  readonly country?: string;
  readonly plan?: string;
  readonly trialEnds?: Date;
  readonly ticketing?: boolean;
  readonly optOutWord?: string[];
  readonly optInWord?: string[];
}

const languageOption = (): Option =>
  new Option('--language <language>', 'what is spoken to members who ask for no other language').choices([
    ...languages,
  ]);

/** `workspace create` and `workspace update`. */
export function registerWorkspace(program: Command, deps: Deps): void {
  const workspace = group(program, 'workspace', 'Create, change and list workspaces.');

  withAccount(
    workspace
      .command('create')
      .description('Create a workspace. Without --plan and --trial-ends it is a trial of 14 days.')
      .requiredOption('--name <name>', 'what the workspace is called')
      .option('--timezone <zone>', 'IANA time zone, for example Europe/Berlin (default UTC)')
      .addOption(languageOption())
      .option('--country <code>', 'country of phone numbers in files and forms that name none, for example DE')
      .option('--plan <plan>', 'name of the paid plan')
      .option('--trial-ends <datetime>', 'end of the trial, ISO 8601', instant)
      .option('--ticketing [true|false]', 'whether the Ticketing add-on is on', yesOrNo),
    deps,
  ).action(async (options: WorkspaceOptions & { readonly name: string }) => {
    checkTogether(options);
    await deps.run((runtime) =>
      runtime.db.transaction(async () => {
        const row = await createWorkspace(runtime, {
          name: options.name,
          timezone: options.timezone,
          language: options.language,
          country: options.country,
          plan: options.plan,
          trialEndsAt: options.trialEnds,
          ticketing: options.ticketing,
        });
        const account = await connect(runtime, row.id, options);
        await record(runtime, row.id, 'workspace.create', options);
        return shown(row, account);
      }),
    );
  });

  withAccount(
    workspace
      .command('update')
      .description('Change a workspace; what is not given stays.')
      .argument('<id>', 'id of the workspace', id)
      .option('--name <name>', 'new name')
      .option('--timezone <zone>', 'IANA time zone')
      .addOption(languageOption())
      .option('--country <code>', 'country of phone numbers in files and forms that name none; "none" takes it away')
      .option('--plan <plan>', 'name of the paid plan; "none" takes it away')
      .option('--trial-ends <datetime>', 'end of the trial, ISO 8601', instant)
      .option('--ticketing [true|false]', 'whether the Ticketing add-on is on', yesOrNo)
      .option('--opt-out-word <word>', 'repeatable; replaces all texts by which customers opt out', repeated)
      .option('--opt-in-word <word>', 'repeatable; replaces all texts by which customers opt in again', repeated),
    deps,
  ).action(async (workspaceId: number, options: WorkspaceOptions) => {
    const isNewToken = options.accessToken !== undefined && !options.appSecret && !options.verifyToken;
    if (!isNewToken) checkTogether(options);
    requireSome(options as Record<string, unknown>);
    await deps.run((runtime) =>
      runtime.db.transaction(async () => {
        const row = await updateWorkspace(await ctxOf(runtime, workspaceId), {
          name: options.name,
          timezone: options.timezone,
          language: options.language,
          country: options.country === 'none' || options.country === '' ? null : options.country,
          plan: options.plan === 'none' || options.plan === '' ? null : options.plan,
          trialEndsAt: options.trialEnds,
          ticketing: options.ticketing,
          optOutWords: options.optOutWord,
          optInWords: options.optInWord,
        });
        const account = await (isNewToken ? renewToken : connect)(runtime, row.id, options);
        await record(runtime, row.id, 'workspace.update', options);
        return shown(row, account);
      }),
    );
  });
}

function record(runtime: Runtime, workspaceId: number, action: string, options: WorkspaceOptions): Promise<void> {
  return recordSecurity(systemCtx(runtime, workspaceId, cliRequestId), {
    action,
    subjectId: workspaceId,
    given: { ...options },
  });
}

/** Gives the account that is named, or the workspace's only one, another access token. */
async function renewToken(
  runtime: Runtime,
  workspaceId: number,
  { businessAccountId, accessToken = '' }: AccountOptions,
): Promise<BusinessAccountRecord> {
  const ctx = systemCtx(runtime, workspaceId, cliRequestId);
  const known = await listAccounts(ctx);
  const [account, second] = known.filter(({ account_id: id }) => id === (businessAccountId ?? id));
  if (!account) throw new Error('The workspace has no such business account yet: give all four options.');
  if (second) {
    const ids = known.map(({ account_id: id }) => id).join(', ');
    throw new Error(`Say which account the token is of, by --business-account-id: ${ids}.`);
  }
  await setAccessToken(ctx, account, accessToken);
  return account;
}

function withAccount(command: Command, deps: Deps): Command {
  return command
    .option('--business-account-id <id>', "the platform's id of the business account; needs the three options below")
    .option(
      '--access-token <token>',
      'access token of the business account; - reads it from standard input',
      deps.secret,
    )
    .option('--app-secret <secret>', 'secret that signs its webhooks; - reads it from standard input', deps.secret)
    .option('--verify-token <token>', 'token of the webhook handshake; - reads it from standard input', deps.secret);
}

const accountFlags = {
  businessAccountId: '--business-account-id',
  accessToken: '--access-token',
  appSecret: '--app-secret',
  verifyToken: '--verify-token',
} as const;

function checkTogether(options: AccountOptions): void {
  const names = Object.keys(accountFlags) as (keyof typeof accountFlags)[];
  const missing = names.filter((name) => options[name] === undefined);
  if (missing.length > 0 && missing.length < names.length) {
    const flags = Object.values(accountFlags).join(', ');
    const absent = missing.map((name) => accountFlags[name]).join(', ');
    throw new Error(`${flags} go together; missing: ${absent}.`);
  }
}

async function connect(
  runtime: Runtime,
  workspaceId: number,
  options: AccountOptions,
): Promise<BusinessAccountRecord | null> {
  if (options.businessAccountId === undefined) return null;
  return connectAccount(systemCtx(runtime, workspaceId, cliRequestId), {
    accountId: options.businessAccountId,
    accessToken: options.accessToken ?? '',
    appSecret: options.appSecret ?? '',
    verifyToken: options.verifyToken ?? '',
  });
}

function shown(row: WorkspaceRecord, account: BusinessAccountRecord | null): Result {
  return {
    ...workspaceView(row),
    ...(account ? { business_account: account.id, business_account_id: account.account_id } : {}),
  };
}
