const to = '+4915112345678';

/** The messages that shops send most, as the reference shows them; each works in the demo workspace. */
export const messageExamples = {
  template: {
    summary: 'A template by its id, with variables: works outside the 24-hour window',
    value: {
      to,
      template_id: '564750795574598',
      template_variables: {
        body: { '1': { source: 'static', value: '#4711' }, '2': { source: 'static', value: 'Shipped' } },
      },
    },
  },
  templateWithButton: {
    summary: 'A template by its name. Its button takes a parameter, which only `components` can fill',
    value: {
      to,
      template: {
        name: 'delivery_scheduled',
        language: 'en_US',
        components: [
          { type: 'header', parameters: [{ type: 'text', text: 'Anna' }] },
          {
            type: 'body',
            parameters: [
              { type: 'text', text: '#4711' },
              { type: 'text', text: 'Friday' },
            ],
          },
          { type: 'button', sub_type: 'url', index: '2', parameters: [{ type: 'text', text: '4711' }] },
        ],
      },
    },
  },
  picture: {
    summary: 'A picture with a caption',
    value: { to, type: 'image', image: { link: 'https://example.com/parcel.jpg', caption: 'Your parcel' } },
  },
  replyButtons: {
    summary: 'A question with reply buttons',
    value: {
      to,
      type: 'interactive',
      interactive: {
        type: 'button',
        body: { text: 'Is Friday all right?' },
        action: {
          buttons: [
            { type: 'reply', reply: { id: 'yes', title: 'Yes' } },
            { type: 'reply', reply: { id: 'no', title: 'Another day' } },
          ],
        },
      },
    },
  },
} as const;
