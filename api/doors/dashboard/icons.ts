import { icons as lucide } from '@iconify-json/lucide';
import { escapeHtml } from './escape';

/** The icons that pages use, by their names in Lucide; add a name here and write `<Icon name="…" />`. */
const iconNames = [
  'activity',
  'archive',
  'arrow-left',
  'at-sign',
  'ban',
  'bell',
  'bell-off',
  'bot',
  'calendar-clock',
  'chart-column',
  'check',
  'check-check',
  'chevron-down',
  'chevron-right',
  'circle-alert',
  'circle-check',
  'circle-question-mark',
  'circle-user',
  'clock',
  'columns-3',
  'contact',
  'copy',
  'download',
  'ellipsis',
  'external-link',
  'eye',
  'file-text',
  'flag',
  'git-branch',
  'image',
  'inbox',
  'info',
  'key-round',
  'layout-template',
  'link',
  'list-checks',
  'list-filter',
  'log-out',
  'rotate-ccw',
  'map-pin',
  'megaphone',
  'menu',
  'message-square',
  'mic',
  'notebook-pen',
  'paperclip',
  'pencil',
  'phone',
  'play',
  'plus',
  'reply',
  'scroll-text',
  'search',
  'send',
  'settings',
  'shield-check',
  'shopping-bag',
  'sliders-horizontal',
  'smile',
  'sticker',
  'tag',
  'text-quote',
  'ticket',
  'timer',
  'trash',
  'triangle-alert',
  'upload',
  'user',
  'user-plus',
  'users',
  'video',
  'webhook',
  'workflow',
  'x',
  'zap',
] as const;

export type IconName = (typeof iconNames)[number];

/** What `.icon` of the style sheet says for all of them. */
const common = / (?:fill="none"|stroke="currentColor"|stroke-(?:linecap|linejoin)="round"|stroke-width="2")/g;

const drawings = new Map<string, string>(
  iconNames.map((name) => {
    const drawing = lucide.icons[name];
    if (!drawing) throw new Error(`Lucide has no icon ${name}.`);
    return [name, drawing.body.replace(common, '')];
  }),
);

/**
 * Returns an icon as HTML; with a label where it stands alone, else it is decoration. Its lines stand in the page: two
 * hundred references to a file of symbols cost an eighth of the time from a key to the next conversation (`npm run
 * bench -- --only keys`).
 */
export function drawIcon(name: IconName, label?: string): string {
  const role = label === undefined ? 'aria-hidden="true"' : `role="img" aria-label="${escapeHtml(label)}"`;
  return `<svg class="icon" viewBox="0 0 24 24" ${role}>${drawings.get(name) ?? ''}</svg>`;
}
