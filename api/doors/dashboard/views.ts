import path from 'node:path';
import { Eta } from 'eta';

/** The object that every template finds under `page`, besides its own data. */
type ViewContext = object;

/** Renders the templates in `views/`. `<%= %>` escapes its value, and shows null as an empty text. */
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
