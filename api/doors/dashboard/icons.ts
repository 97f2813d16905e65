import { icons as lucide } from '@iconify-json/lucide';

/** The icons that pages use, by their names in Lucide; add a name here and write `<%~ page.icon('name') %>`. */
const iconNames = [
  'activity',
  'archive',
  'arrow-left',
  'ban',
  'bell-off',
  'bot',
  'calendar-clock',
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

/** Returns one SVG document with a symbol for each used icon. */
export function buildSprite(): string {
  const symbols = iconNames.map((name) => {
    const drawing = lucide.icons[name];
    if (!drawing) throw new Error(`Lucide has no icon ${name}.`);
    return `<symbol id="${name}" viewBox="0 0 24 24">${drawing.body}</symbol>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg">${symbols.join('')}</svg>`;
}
