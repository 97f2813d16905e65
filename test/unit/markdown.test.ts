import { guideOf } from '../../api/doors/docs/guide';
import { renderMarkdown } from '../../api/doors/docs/markdown';

it('renders headings, paragraphs, lists, tables, code and emphasis', () => {
  expect(renderMarkdown('# One\n\nTwo\nlines with `code_a` and **much** _here_.\n')).toBe(
    '<h1>One</h1>\n<p>Two lines with <code>code_a</code> and <strong>much</strong> <em>here</em>.</p>',
  );
  expect(renderMarkdown('- a\n  goes on\n- b\n\n1. first\n2. second')).toBe(
    '<ul>\n<li>a goes on</li>\n<li>b</li>\n</ul>\n<ol>\n<li>first</li>\n<li>second</li>\n</ol>',
  );
  expect(renderMarkdown('| A | B |\n| - | - |\n| 1 | `x` |')).toBe(
    '<div class="scroll" tabindex="0"><table><thead><tr><th>A</th><th>B</th></tr></thead><tbody>\n' +
      '<tr><td>1</td><td><code>x</code></td></tr>\n</tbody></table></div>',
  );
  expect(renderMarkdown('```\na < b\n| no table\n```')).toBe(
    '<pre tabindex="0"><code>a &lt; b\n| no table\n</code></pre>',
  );
});

it('lets nothing through that is no text', () => {
  expect(renderMarkdown('<script>x</script> `<b>` [a](javascript:x) [b](https://desk.test/"x)')).toBe(
    '<p>&lt;script&gt;x&lt;/script&gt; <code>&lt;b&gt;</code> [a](javascript:x) ' +
      '<a href="https://desk.test/&quot;x">b</a></p>',
  );
});

it('leaves no mark of Markdown in the guide for agents', () => {
  const html = renderMarkdown(guideOf('connect-an-agent.md', 'https://desk.test'));
  const text = html.replace(/<pre[\s\S]*?<\/pre>|<code>[\s\S]*?<\/code>/g, '').replace(/<[^>]+>/g, '');
  expect(text).not.toMatch(/`|\*\*|^#|^\||\]\(|(^|\s)_\w/m);
});
