import type {
  Account,
  ChatRecord,
  Flow,
  InboundRecord,
  MediaFile,
  PhoneNumber,
  Product,
  SentRecord,
  Settings,
  Template,
  User,
} from './types';
import { otherSpelling, sha256 } from './util';

export const dayMs = 86_400_000;
/** How long a customer sees that the business is typing, unless a message comes before. */
export const typingMs = 25_000;
/** Newest messages of one chat that the page and the snapshot keep. */
const maxChatMessages = 500;

export function defaultSettings(): Settings {
  return {
    status_delay_ms: 150,
    statuses: ['sent', 'delivered', 'read'],
    duplicate: 0,
    reorder: false,
    batch: 100,
    drop: 0,
    pair_rate: true,
    throughput: true,
    latency_ms: 0,
    keep_bodies: true,
    status_before_response: false,
    retry_schedule_ms: [500, 1000, 2000, 4000, 8000, 15_000, 30_000, 60_000, 60_000, 120_000, 120_000, 300_000],
    webhook_timeout_ms: 10_000,
    webhook_concurrency: 1,
    // What the platform gives each number and month.
    free_service_messages: 1_000,
    unpaid: false,
    template_review: 'manual',
  };
}

const countries: Array<[string, string]> = [
  ['1', 'US'],
  ['44', 'GB'],
  ['49', 'DE'],
  ['33', 'FR'],
  ['34', 'ES'],
  ['39', 'IT'],
  ['31', 'NL'],
  ['41', 'CH'],
  ['43', 'AT'],
  ['91', 'IN'],
  ['55', 'BR'],
  ['52', 'MX'],
  ['54', 'AR'],
  ['62', 'ID'],
  ['65', 'SG'],
  ['971', 'AE'],
  ['966', 'SA'],
  ['234', 'NG'],
  ['254', 'KE'],
  ['27', 'ZA'],
  ['61', 'AU'],
  ['81', 'JP'],
  ['7', 'RU'],
  ['380', 'UA'],
  ['48', 'PL'],
  ['90', 'TR'],
];

/** Returns dial code and ISO country of an international number; US where it is unknown. */
export function countryOf(digits: string): { dial: string; country: string } {
  const found = countries.filter(([dial]) => digits.startsWith(dial)).sort((a, b) => b[0].length - a[0].length)[0];
  return found ? { dial: found[0], country: found[1] } : { dial: '1', country: 'US' };
}

/** Returns the business-scoped id of a person: stable for the same phone (or seed text) in the same business. */
export function userIdFor(businessAccountId: string, seedText: string, phone?: string): string {
  const hash = sha256(`${businessAccountId}|${seedText}`);
  const number = (hash.readBigUInt64BE(0) % 90_000_000_000_000n) + 10_000_000_000_000n;
  return `${phone ? countryOf(phone).country : 'US'}.${number}`;
}

interface Book {
  byPhone: Map<string, User>;
  byUserId: Map<string, User>;
  byKey: Map<string, User>;
}

interface Identity {
  phone?: string;
  user_id?: string;
  username?: string;
}

/** Everything that the sandbox remembers. Only plain data and look-ups; no timers, no network. */
export class State {
  readonly accounts = new Map<string, Account>();
  readonly phones = new Map<string, PhoneNumber>();
  readonly templates = new Map<string, { account: Account; template: Template }>();
  readonly flows = new Map<string, { account: Account; flow: Flow }>();
  readonly media = new Map<string, MediaFile>();
  readonly messages = new Map<string, ChatRecord>();
  readonly chats = new Map<string, ChatRecord[]>();
  sent: SentRecord[] = [];
  /** Occurrences per opaque id (key `o`), and per opaque id and recipient (key `r`). */
  readonly opaqueCounts = new Map<string, SentRecord[] | SentRecord>();
  /** Service messages that cost nothing, by number and month. */
  readonly freeUsed = new Map<string, number>();
  nextSeq = 1;
  nextUser = 1;
  settings: Settings = defaultSettings();
  private readonly books = new Map<string, Book>();
  private readonly templateNames = new Map<string, Template>();

  /** Rebuilds the look-ups of one account after any change to its lists. */
  index(account: Account): void {
    this.accounts.set(account.business_account_id, account);
    const mine = account.business_account_id;
    for (const [id, phone] of this.phones) if (phone.business_account_id === mine) this.phones.delete(id);
    for (const [id, entry] of this.templates) if (entry.account.business_account_id === mine) this.templates.delete(id);
    for (const [id, entry] of this.flows) if (entry.account.business_account_id === mine) this.flows.delete(id);
    for (const key of this.templateNames.keys()) if (key.startsWith(`${mine}|`)) this.templateNames.delete(key);
    for (const phone of account.phone_numbers) this.phones.set(phone.id, phone);
    for (const template of account.templates) {
      this.templates.set(template.id, { account, template });
      this.templateNames.set(`${mine}|${template.name}|${template.language}`, template);
    }
    for (const flow of account.flows) this.flows.set(flow.id, { account, flow });
  }

  accountOf(phone: PhoneNumber): Account {
    return this.accounts.get(phone.business_account_id) as Account;
  }

  templateByName(account: Account, name: string, language: string): Template | undefined {
    return this.templateNames.get(`${account.business_account_id}|${name}|${language}`);
  }

  catalog(id: string): Account | undefined {
    return [...this.accounts.values()].find((account) => account.catalog_id === id);
  }

  product(id: string): { account: Account; product: Product } | undefined {
    for (const account of this.accounts.values()) {
      const product = account.products.find((item) => item.id === id);
      if (product) return { account, product };
    }
    return undefined;
  }

  users(businessAccountId: string): User[] {
    return [...this.book(businessAccountId).byKey.values()];
  }

  userByKey(businessAccountId: string, key: string): User | undefined {
    return this.book(businessAccountId).byKey.get(key);
  }

  /** Finds a user by their number, in whichever spelling of its line. */
  userByPhone(businessAccountId: string, phone: string): User | undefined {
    const { byPhone } = this.book(businessAccountId);
    return byPhone.get(phone) ?? byPhone.get(otherSpelling(phone) ?? '');
  }

  /** Finds a user by any identity; a user name only where nothing better is given. */
  findUser(businessAccountId: string, identity: Identity): User | undefined {
    const book = this.book(businessAccountId);
    if (identity.user_id) return book.byUserId.get(identity.user_id);
    if (identity.phone) return this.userByPhone(businessAccountId, identity.phone);
    if (identity.username) return [...book.byKey.values()].find((user) => user.username === identity.username);
    return undefined;
  }

  /** Returns true when another business account knows this id: a portfolio's ids do not work elsewhere. */
  isForeignUserId(businessAccountId: string, userId: string): boolean {
    for (const [id, book] of this.books) if (id !== businessAccountId && book.byUserId.has(userId)) return true;
    return false;
  }

  addUser(businessAccountId: string, identity: Identity, name?: string): User {
    const key = `u${this.nextUser}`;
    this.nextUser += 1;
    const seedText = identity.phone ?? (identity.username ? `@${identity.username}` : key);
    const user: User = {
      key,
      business_account_id: businessAccountId,
      phone: identity.phone,
      user_id: identity.user_id ?? userIdFor(businessAccountId, seedText, identity.phone),
      username: identity.username,
      name:
        name ??
        (identity.phone
          ? `Customer ${identity.phone.slice(-4)}`
          : (identity.username ?? `Customer ${this.nextUser - 1}`)),
      hidden: !identity.phone,
      opted_out: false,
      blocked: false,
      last_at: 0,
      windows: {},
    };
    this.putUser(user);
    return user;
  }

  /** Stores a user under their present identities; call `dropUser` before changing these. */
  putUser(user: User): void {
    const book = this.book(user.business_account_id);
    book.byKey.set(user.key, user);
    book.byUserId.set(user.user_id, user);
    if (user.phone) book.byPhone.set(user.phone, user);
  }

  dropUser(user: User): void {
    const book = this.book(user.business_account_id);
    book.byKey.delete(user.key);
    if (book.byUserId.get(user.user_id) === user) book.byUserId.delete(user.user_id);
    if (user.phone && book.byPhone.get(user.phone) === user) book.byPhone.delete(user.phone);
  }

  windowOpen(user: User, phoneNumberId: string, now: number): boolean {
    const opened = user.windows[phoneNumberId];
    return opened !== undefined && now - opened < dayMs;
  }

  chat(phoneNumberId: string, userKey: string): ChatRecord[] {
    return this.chats.get(`${phoneNumberId}|${userKey}`) ?? [];
  }

  addSent(record: SentRecord): void {
    this.sent.push(record);
    this.addRecord(record);
    if (!record.opaque) return;
    this.countOpaque(`o${record.opaque}`, record);
    this.countOpaque(`r${record.opaque}\u0000${record.to}`, record);
  }

  addInbound(record: InboundRecord): void {
    this.addRecord(record);
  }

  clearMessages(): void {
    this.sent = [];
    this.messages.clear();
    this.chats.clear();
    this.opaqueCounts.clear();
    this.freeUsed.clear();
  }

  private addRecord(record: ChatRecord): void {
    this.messages.set(record.wamid, record);
    const key = `${record.phone_number_id}|${record.user_key}`;
    const chat = this.chats.get(key);
    if (!chat) {
      this.chats.set(key, [record]);
      return;
    }
    chat.push(record);
    if (chat.length > maxChatMessages * 2) chat.splice(0, chat.length - maxChatMessages);
  }

  /** Counts a send under its opaque id. A lone record is kept bare: of 100,000 ids almost every one has only that. */
  private countOpaque(key: string, record: SentRecord): void {
    const present = this.opaqueCounts.get(key);
    if (present === undefined) this.opaqueCounts.set(key, record);
    else if (Array.isArray(present)) present.push(record);
    else this.opaqueCounts.set(key, [present, record]);
  }

  private book(businessAccountId: string): Book {
    let book = this.books.get(businessAccountId);
    if (!book) {
      book = { byPhone: new Map(), byUserId: new Map(), byKey: new Map() };
      this.books.set(businessAccountId, book);
    }
    return book;
  }
}
