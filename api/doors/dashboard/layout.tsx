import type { Child } from 'hono/jsx';
import type { Scope } from '../../core/http/access';
import { languageNow } from '../../core/text/language';
import { assetPath, spokenNow, type AssetName } from './assets';
import { badgeView, type BadgeName } from './fieldViews';
import { AppIcons, Badge, Confirm, Flash, Keys, type Said } from './frameParts';
import { Icon, type Html } from './html';
import type { IconName } from './icons';
import { barPlaces, placesFor, type Badges, type Place } from './navigation';
import { Form } from './parts';
import { Face } from './people';
import { SearchDialog, searchPath } from './search/dialog';
import { words } from './words';
import { valueWord } from './valueWord';

const { frame } = words;

interface FrameGiven {
  readonly title: string;
  readonly place: string;
  readonly styles?: readonly AssetName[];
  readonly scripts?: readonly AssetName[];
  readonly keys?: readonly (readonly [keys: string, text: string])[];
  readonly full?: boolean;
  readonly body: Html;
  /** The banner of the brake; null: there is none. */
  readonly brake: Html | null;
  readonly flash: Said | null;
  readonly badges: Badges;
  readonly member: {
    readonly id: number;
    readonly name: string;
    readonly email: string;
    readonly role: string;
    readonly is_away: boolean;
  };
  readonly workspace: { readonly id: number; readonly name: string };
  readonly scopes: ReadonlySet<Scope>;
  /** Whether the member may say that they are away. */
  readonly mayLeave: boolean;
  readonly isReadOnly: boolean;
  readonly isUnpaid: boolean;
  readonly csrf: string;
  readonly newsFrom: string;
}

const settings = JSON.stringify({
  includeIndicatorStyles: false,
  allowEval: false,
  selfRequestsOnly: true,
  historyCacheSize: 0,
  // A connection may die without a word: what waits for an answer would wait for good.
  timeout: 60_000,
  refreshOnHistoryMiss: true,
  // In milliseconds: soon, but after what ends a request.
  defaultSettleDelay: 1,
  scrollIntoViewOnBoost: false,
  defaultSwapStyle: 'outerHTML',
  responseHandling: [
    { code: '204', swap: false },
    { code: '[23]..', swap: true },
    { code: '422', swap: true },
    { code: '[45]..', swap: false, error: true },
  ],
});

const everyScript = [
  'htmx.js',
  'morph.js',
  'app.js',
  'typed.js',
  'forms.js',
  'notices.js',
  'live.js',
  'refresh.js',
  'search.js',
] as const;

/** The frame around a page: its head, the navigation, what the page before left to be said, and what is asked. */
export function Layout(given: FrameGiven): Html {
  const { title, place, badges, styles = [], scripts = [], csrf, full = false, member, workspace } = given;
  const waiting = badgeView('waiting', badges.waiting ?? 0);
  const counted = place === 'inbox' && !waiting.isHidden ? `(${waiting.text}) ` : '';
  return (
    <html lang={languageNow()}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover" />
        <meta name="robots" content="noindex" />
        <meta name="color-scheme" content="light dark" />
        <meta name="htmx-config" content={settings} />
        <title>{`${counted}${title} · Msgdesk`}</title>
        <AppIcons />
        {(['app.css', 'team.css', ...styles] as const).map((name) => (
          <link rel="stylesheet" href={assetPath(name)} />
        ))}
        {[spokenNow(), ...everyScript, ...scripts].map((name) => (
          <script defer src={assetPath(name)}></script>
        ))}
      </head>
      <body
        class={full ? 'app app-full' : 'app'}
        hx-headers={JSON.stringify({ 'X-CSRF-Token': csrf })}
        hx-ext="morph"
        data-member={member.id}
        data-worker={assetPath('noticesWorker.js')}
        data-live="/dashboard/live/"
        data-live-from={given.newsFrom}
      >
        <a class="skip" href="#main">
          {frame.skip}
        </a>
        <nav class="nav" id="nav" popover="auto" aria-label={frame.main}>
          <a class="brand" href="/dashboard/" aria-label={workspace.name}>
            <span class="brand-mark" aria-hidden="true"></span>
            <span class="brand-name">{workspace.name}</span>
          </a>
          <SearchButton class="nav-search">
            <Icon name="search" />
            <span>{words.search.title}</span>
            <kbd aria-hidden="true">Ctrl K</kbd>
          </SearchButton>
          <Places {...given} />
          <div class="nav-foot">
            <Me {...given} />
          </div>
        </nav>
        <main class={full ? 'main main-full' : 'main'} id="main" tabindex={-1}>
          <Banners {...given} />
          {given.body}
        </main>
        <Bar {...given} />
        <div class="toasts" id="toasts" role="status" aria-live="polite">
          {given.flash && <Flash flash={given.flash} csrf={csrf} />}
        </div>
        <Confirm />
        <Keys keys={given.keys ?? []} />
        <SearchDialog />
      </body>
    </html>
  );
}

/** Opens the one search; without scripts its page. */
function SearchButton({ class: name, children }: { readonly class: string; readonly children: Child }): Html {
  const { title } = words.search;
  return (
    <>
      <a class={`${name} unscripted`} href={searchPath} title={title}>
        {children}
      </a>
      <button class={`${name} scripted-only`} type="button" title={title} data-open="#search-all" data-key="/">
        {children}
      </button>
    </>
  );
}

function Places({ place: current, badges, scopes, workspace }: FrameGiven): Html {
  const places = placesFor(scopes);
  return (
    <ul class="nav-list">
      {places.map((place, index) => (
        <li class={index > 0 && places[index - 1]?.group !== place.group ? 'nav-group' : undefined}>
          <a href={place.path} title={frame.places[place.id]} aria-current={place.id === current ? 'page' : undefined}>
            <Icon name={place.icon} />
            <span>{frame.places[place.id]}</span>
            {place.badge && (
              <Badge
                badge={badgeView(place.badge, badges[place.badge] ?? 0)}
                workspaceId={workspace.id}
                unread={badges.unread}
              />
            )}
          </a>
        </li>
      ))}
    </ul>
  );
}

const awayPath = '/dashboard/account/away/';

/** The member's own menu. */
function Me({ member, mayLeave, csrf }: FrameGiven): Html {
  const { name, email, role, is_away: isAway } = member;
  const called = name || email;
  return (
    <>
      <button class="nav-me" type="button" popovertarget="me">
        <span class="visually-hidden">{frame.account} </span>
        <Face id={member.id} name={called} />
        <span class="nav-me-name">{called}</span>
        {isAway && (
          <>
            {' '}
            <span class="tag tag-warn">{frame.away}</span>
          </>
        )}
      </button>
      <div class="menu menu-up" id="me" popover="auto">
        <p class="menu-head">
          <strong>{called}</strong>
          <br />
          <span class="soft">{`${email} · ${valueWord(role)}`}</span>
        </p>
        {mayLeave && (
          <Form action={awayPath} csrf={csrf} hx-post={awayPath} hx-swap="none">
            <button
              class="menu-item"
              name="is_away"
              value={isAway ? 'false' : 'true'}
              title={isAway ? undefined : frame.goAwayAbout}
            >
              <Icon name={isAway ? 'user' : 'bell-off'} />
              {isAway ? frame.comeBack : frame.goAway}
            </button>
          </Form>
        )}
        <MenuLink href="/docs/" icon="file-text" text={frame.reference} />
        <MenuLink href="/docs/connect-an-agent" icon="bot" text={frame.connect} />
        <button class="menu-item" type="button" data-open="#keys">
          <Icon name="circle-question-mark" />
          {frame.keys.title} <kbd>?</kbd>
        </button>
        <Form action="/dashboard/sign-out/" csrf={csrf}>
          <button class="menu-item" type="submit">
            <Icon name="log-out" />
            {frame.signOut}
          </button>
        </Form>
      </div>
    </>
  );
}

function MenuLink({
  href,
  icon,
  text,
}: {
  readonly href: string;
  readonly icon: IconName;
  readonly text: string;
}): Html {
  return (
    <a href={href} class="menu-item">
      <Icon name={icon} />
      {text}
    </a>
  );
}

/** What holds for the whole workspace, above every page. */
function Banners({ isReadOnly, isUnpaid, scopes, brake }: FrameGiven): Html {
  const { trial } = frame;
  return (
    <>
      {isReadOnly && (
        <div class="banner banner-warn" role="status">
          <Icon name="triangle-alert" />
          <p>
            {trial.text} {scopes.has('billing') ? <a href="/dashboard/plan/">{trial.choose}</a> : trial.ask}
          </p>
        </div>
      )}
      {isUnpaid && (
        <div class="banner banner-warn" role="alert">
          <Icon name="triangle-alert" />
          <p>{frame.unpaid}</p>
        </div>
      )}
      {brake}
      <div class="banner banner-warn" id="offline" role="status" hidden>
        <Icon name="triangle-alert" />
        <p>{frame.offline}</p>
      </div>
    </>
  );
}

/** The places of a phone, below its page. What is counted is copied from the navigation (app.js). */
function Bar({ place: current, scopes }: FrameGiven): Html {
  return (
    <nav class="bar" aria-label={frame.bar}>
      {barPlaces(scopes).map((place) => (
        <BarLink place={place} isCurrent={place.id === current} />
      ))}
      <SearchButton class="bar-place">
        <Icon name="search" />
        <span>{words.search.title}</span>
      </SearchButton>
      <button class="bar-place" type="button" popovertarget="nav">
        <Icon name="menu" />
        <span>{frame.more}</span>
        <Mirror badge="approvals" />
      </button>
    </nav>
  );
}

function BarLink({ place, isCurrent }: { readonly place: Place; readonly isCurrent: boolean }): Html {
  return (
    <a class="bar-place" href={place.path} aria-current={isCurrent ? 'page' : undefined}>
      <Icon name={place.icon} />
      <span>{frame.places[place.id]}</span>
      {place.badge && <Mirror badge={place.badge} />}
    </a>
  );
}

/** What the number of the navigation says (app.js). */
function Mirror({ badge }: { readonly badge: BadgeName }): Html {
  return <span class="count count-new" data-mirrors={`badge-${badge}`} hidden></span>;
}
