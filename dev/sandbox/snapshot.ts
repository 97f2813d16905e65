import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Context } from './context';
import type { ReceiverSettings } from './receiver/receiver';
import type { Account, ChatRecord, InboundRecord, MediaFile, SentRecord, Settings, User } from './types';
import type { Update } from './wire/payload';

const version = 1;
/** A benchmark's hundred thousand messages are not worth keeping; recent chats are. */
const maxMessages = 5000;
const maxMediaBytes = 524_288;

interface Snapshot {
  version: number;
  settings: Settings;
  accounts: Account[];
  users: User[];
  messages: ChatRecord[];
  media: Array<Omit<MediaFile, 'data'> & { data: string }>;
  next_seq: number;
  next_user: number;
  backlog: Record<string, Update[]>;
  receiver?: ReceiverSettings;
}

/** Writes beside the file and renames, so that a crash leaves the old or the new one, never half. */
export function saveSnapshot(context: Context, file: string): void {
  const { state } = context;
  const messages = [...state.messages.values()].slice(-maxMessages);
  const users = [...state.accounts.keys()].flatMap((id) => state.users(id));
  const snapshot: Snapshot = {
    version,
    settings: state.settings,
    accounts: [...state.accounts.values()],
    users: users.slice(-maxMessages * 2),
    messages,
    media: [...state.media.values()]
      .filter((item) => item.data.length <= maxMediaBytes)
      .slice(-200)
      .map((item) => ({ ...item, data: item.data.toString('base64') })),
    next_seq: state.nextSeq,
    next_user: state.nextUser,
    backlog: context.webhooks.backlog(),
    receiver: context.receiver.settings,
  };
  mkdirSync(dirname(file), { recursive: true });
  const beside = `${file}.${process.pid}.tmp`;
  writeFileSync(beside, JSON.stringify(snapshot), { mode: 0o600 });
  renameSync(beside, file);
}

/** Loads the state of an earlier run; no file means a fresh start, an unreadable one is an error that names it. */
export function loadSnapshot(context: Context, file: string): void {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  let snapshot: Snapshot;
  try {
    snapshot = JSON.parse(text) as Snapshot;
  } catch (error) {
    throw new Error(`The sandbox state file ${file} is not readable; delete it to start afresh. ${String(error)}`, {
      cause: error,
    });
  }
  if (snapshot.version !== version) return;
  const { state } = context;
  Object.assign(state.settings, snapshot.settings);
  for (const account of snapshot.accounts) state.index(account);
  for (const user of snapshot.users) state.putUser(user);
  state.nextSeq = snapshot.next_seq;
  state.nextUser = snapshot.next_user;
  for (const record of snapshot.messages) restoreRecord(context, record);
  for (const item of snapshot.media) state.media.set(item.id, { ...item, data: Buffer.from(item.data, 'base64') });
  context.webhooks.restore(snapshot.backlog);
  if (snapshot.receiver) context.receiver.settings = { ...context.receiver.settings, ...snapshot.receiver };
}

function restoreRecord(context: Context, record: ChatRecord): void {
  if (record.direction === 'out') context.state.addSent(record satisfies SentRecord);
  else context.state.addInbound(record satisfies InboundRecord);
}
