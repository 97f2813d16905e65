import type { AssetName } from './assets';
import type { Scope } from '../../core/http/access';
import { languageNow } from '../../core/text/language';
import { badgeView, type BadgeView } from './fieldViews';
import { initialOf } from './formats';
import type { IconName } from './icons';
import { placesFor, type Badges } from './navigation';

/** The frame around a page: its head, the navigation, and what the page before left to be said. */
interface LayoutView {
  readonly language: string;
  /** As the window is named. */
  readonly title: string;
  readonly styles: readonly AssetName[];
  readonly scripts: readonly AssetName[];
  /** Settings of htmx, as JSON. */
  readonly settings: string;
  /** Headers of what the page itself asks for, as JSON. */
  readonly headers: string;
  /** Where the news begin. */
  readonly newsFrom: string;
  readonly isFull: boolean;
  readonly me: { readonly name: string; readonly about: string; readonly initial: string };
  readonly places: readonly PlaceView[];
  readonly flash: FlashView | null;
  readonly keys: readonly { readonly keys: readonly string[]; readonly text: string }[];
  readonly body: string;
  /** HTML of the banner of the brake; empty: there is none. */
  readonly brake: string;
}

interface PlaceView {
  readonly label: string;
  readonly path: string;
  readonly icon: IconName;
  readonly isCurrent: boolean;
  /** A line stands above it. */
  readonly beginsGroup: boolean;
  readonly badge: BadgeView | null;
}

interface FlashView {
  readonly text: string;
  readonly style: string;
  readonly undo: { readonly action: string; readonly fields: readonly (readonly [string, string])[] } | null;
}

/** What the page before left to be said. */
interface Said {
  readonly text: string;
  readonly kind?: 'good' | 'bad';
  readonly undo?: { readonly action: string; readonly fields: Readonly<Record<string, string>> };
}

interface LayoutParts {
  readonly title: string;
  readonly place: string;
  readonly styles?: readonly AssetName[];
  readonly scripts?: readonly AssetName[];
  readonly keys?: readonly (readonly [keys: string, text: string])[];
  readonly full?: boolean;
  readonly body: string;
  /** HTML of the banner of the brake; empty: there is none. */
  readonly brake: string;
  readonly flash: Said | null;
  readonly badges: Badges;
  readonly member: { readonly name: string; readonly email: string; readonly role: string };
  readonly scopes: ReadonlySet<Scope>;
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
  // In milliseconds. What was put in acts at once, but after what ends a request: a key or a click in between would
  // load the page anew, and forget the place in it.
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

/** Builds the frame of a page. */
export function layoutView(parts: LayoutParts): LayoutView {
  const { title, place: current, badges, styles = [], scripts = [], keys = [] } = parts;
  const { name, email, role } = parts.member;
  const called = name || email;
  const waiting = badgeView('waiting', badges.waiting ?? 0);
  const counted = current === 'inbox' && !waiting.isHidden ? `(${waiting.text}) ` : '';
  return {
    language: languageNow(),
    title: `${counted}${title} · Msgdesk`,
    styles: ['app.css', 'team.css', ...styles],
    scripts: [
      'htmx.js',
      'morph.js',
      'app.js',
      'typed.js',
      'forms.js',
      'notices.js',
      'live.js',
      'refresh.js',
      ...scripts,
    ],
    settings,
    headers: JSON.stringify({ 'X-CSRF-Token': parts.csrf }),
    newsFrom: parts.newsFrom,
    isFull: parts.full ?? false,
    me: { name: called, about: `${email} · ${role}`, initial: initialOf(called) },
    places: placesFor(parts.scopes).map((place, index, all) => ({
      label: place.label,
      path: place.path,
      icon: place.icon,
      isCurrent: place.id === current,
      beginsGroup: index > 0 && all[index - 1]?.group !== place.group,
      badge: place.badge ? badgeView(place.badge, badges[place.badge] ?? 0) : null,
    })),
    flash: parts.flash && flashView(parts.flash),
    keys: keys.map(([pressed, text]) => ({ keys: pressed.split(' '), text })),
    body: parts.body,
    brake: parts.brake,
  };
}

function flashView({ text, kind, undo }: Said): FlashView {
  return {
    text,
    style: kind === 'bad' ? 'toast toast-bad' : 'toast',
    undo: undo ? { action: undo.action, fields: Object.entries(undo.fields) } : null,
  };
}
