import path from 'node:path';
import { Eta } from 'eta';
import { escapeHtml } from './escape';

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

/** The templates. */
export const views = new Views();
