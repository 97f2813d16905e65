import path from 'node:path';
import { Eta } from 'eta';

/** What every template finds under `page`, whatever data it was given. */
type ViewContext = object;

/** Renders the templates in `views/`. What `<%= %>` interpolates is escaped; nothing at all stands for null. */
class Views extends Eta {
  /** Templates read it as `page`. Rendering never waits, so no other request can come in between. */
  protected current: ViewContext = {};

  constructor() {
    super({
      views: path.join(__dirname, 'views'),
      cache: true,
      autoEscape: true,
      escapeFunction: escapeHtml,
      functionHeader: 'const page = this.current;',
    });
  }

  /** Returns the HTML of a template. */
  show(name: string, data: object, context: ViewContext): string {
    const before = this.current;
    this.current = context;
    try {
      return this.render(name, data);
    } finally {
      this.current = before;
    }
  }
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Returns the text as HTML shows it, in elements and in quoted attributes. */
export function escapeHtml(value: unknown): string {
  return value === null || value === undefined
    ? ''
    : String(value).replace(/[&<>"']/g, (character) => entities[character] ?? character);
}

/** The templates. */
export const views = new Views();
