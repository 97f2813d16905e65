import { previewTemplate } from '../../api/doors/dashboard/inbox/templates';

const components = [
  { type: 'HEADER', format: 'TEXT', text: 'Hello {{1}}' },
  { type: 'BODY', text: 'Your code is {{1}}, {{name}}.' },
  { type: 'FOOTER', text: 'Green Garden' },
  {
    type: 'BUTTONS',
    buttons: [
      { type: 'QUICK_REPLY', text: 'Yes' },
      { type: 'URL', text: 'Track' },
    ],
  },
];

test('a preview has all that a customer sees: header, text, footer and buttons', () => {
  expect(previewTemplate(components, { 'header.1': 'Anna', 'body.1': '4711' })).toEqual({
    header: 'Hello Anna',
    headerMedia: '',
    body: 'Your code is 4711, {{name}}.',
    footer: 'Green Garden',
    buttons: ['Yes', 'Track'],
  });
});

test.each(['IMAGE', 'VIDEO', 'DOCUMENT', 'LOCATION'])('a preview says that there is a header of type %s', (format) => {
  expect(previewTemplate([{ type: 'HEADER', format }], {}).headerMedia).toBe(format.toLowerCase());
});

test('of a template that nobody knows nothing is shown', () => {
  expect(previewTemplate(undefined, {})).toEqual({ header: '', headerMedia: '', body: '', footer: '', buttons: [] });
});
