import { escapeHtml } from '../dashboard/escape';

/**
 * Renders the part of Markdown in which our own pages are written: headings, paragraphs, lists, tables, blocks of code,
 * links, emphasis and code. Everything is escaped. What is wide can be scrolled, by keyboard too.
 */
export function renderMarkdown(text: string): string {
  const html: string[] = [];
  const lines = text.split('\n');
  let at = 0;

  /** Takes lines as long as they fit. */
  function take(fits: (line: string) => boolean): string[] {
    const from = at;
    while (at < lines.length && fits(lines[at] ?? '')) at += 1;
    return lines.slice(from, at);
  }

  while (at < lines.length) {
    const line = lines[at] ?? '';
    const heading = /^(#{1,3}) (.+)$/.exec(line);
    if (line.trim() === '') at += 1;
    else if (heading) {
      const level = heading[1]?.length ?? 1;
      html.push(`<h${level}>${inline(heading[2] ?? '')}</h${level}>`);
      at += 1;
    } else if (line.startsWith('```')) {
      at += 1;
      const code = take((next) => !next.startsWith('```')).join('\n');
      html.push(`<pre tabindex="0"><code>${escapeHtml(code)}\n</code></pre>`);
      at += 1;
    } else if (line.startsWith('|')) html.push(table(take((next) => next.startsWith('|'))));
    else if (listItem.test(line)) {
      const isOrdered = /^\d/.test(line);
      html.push(
        list(
          take((next) => listItem.test(next) || /^ +\S/.test(next)),
          isOrdered ? 'ol' : 'ul',
        ),
      );
    } else html.push(`<p>${inline(take((next) => isText(next)).join(' '))}</p>`);
  }
  return html.join('\n');
}

const listItem = /^(?:-|\d+\.) /;

const isText = (line: string): boolean =>
  line.trim() !== '' && !/^(?:#{1,3} |```|\|)/.test(line) && !listItem.test(line);

function list(lines: readonly string[], tag: 'ol' | 'ul'): string {
  const items: string[] = [];
  for (const line of lines)
    if (listItem.test(line)) items.push(line.replace(listItem, ''));
    else items.push(`${items.pop() ?? ''} ${line.trim()}`);
  return `<${tag}>\n${items.map((item) => `<li>${inline(item)}</li>`).join('\n')}\n</${tag}>`;
}

function table(lines: readonly string[]): string {
  const [head = [], , ...rows] = lines.map((line) =>
    line
      .replace(/^\||\|\s*$/g, '')
      .split('|')
      .map((cell) => inline(cell.trim())),
  );
  const row = (cells: readonly string[], tag: 'td' | 'th'): string =>
    `<tr>${cells.map((cell) => `<${tag}>${cell}</${tag}>`).join('')}</tr>`;
  const body = rows.map((cells) => row(cells, 'td')).join('\n');
  const table = `<table><thead>${row(head, 'th')}</thead><tbody>\n${body}\n</tbody></table>`;
  return `<div class="scroll" tabindex="0">${table}</div>`;
}

/** Code first: what looks like emphasis inside of it is none. */
function inline(text: string): string {
  return text
    .split(/(`[^`]+`)/)
    .map((part) =>
      part.length > 1 && part.startsWith('`')
        ? `<code>${escapeHtml(part.slice(1, -1))}</code>`
        : escapeHtml(part)
            .replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
            .replace(/(^|[\s(])_([^_]+)_/g, '$1<em>$2</em>')
            .replace(/\[([^[\]]+)\]\((https?:[^\s()]+|\/[^\s()]*)\)/g, '<a href="$2">$1</a>'),
    )
    .join('');
}
