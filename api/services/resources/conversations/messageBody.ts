import { wire, type JsonSchema } from '../../../core/http/shapes';

const media = wire.open('MessageMedia', {
  id: wire.text("The platform's id of the file."),
  link: wire.text('Where the file of an outbound message was taken from.'),
  mime_type: wire.text('Media type of the file.'),
  caption: wire.text(),
  filename: wire.text(),
});
const maps = wire.list(wire.map());

/** The content of a message: the object under its type is as the platform has it. */
export const messageBodyShape: JsonSchema = {
  ...wire.open(
    'MessageBody',
    {
      type: wire.text('Names the key of the content.'),
      text: wire.open('MessageText', { body: wire.text('What was written.') }, ['body']),
      image: media,
      video: media,
      audio: media,
      document: media,
      sticker: media,
      location: wire.open(
        'MessageLocation',
        { latitude: wire.number(), longitude: wire.number(), name: wire.text(), address: wire.text() },
        ['latitude', 'longitude'],
      ),
      contacts: maps,
      reaction: wire.open('MessageReaction', {
        message_id: wire.text('`message_id` (wamid) of the message that it is about.'),
        emoji: wire.text('Empty or absent: the reaction was taken back.'),
      }),
      button: wire.open('MessageButton', { text: wire.text(), payload: wire.text() }),
      interactive: wire.map('What was sent, or the `button_reply`, `list_reply` or `nfm_reply` of the customer.'),
      template: wire.open('MessageTemplate', { name: wire.text(), language: wire.map(), components: maps }, ['name']),
      errors: maps,
    },
    ['type'],
  ),
  description:
    'The content as the platform has it: `type`, and an object of that name, for example `{"type": "text", "text": ' +
    '{"body": "Hi"}}`.',
};
