import {
  entriesOf,
  guessColumns,
  keptColumn,
  leftOutColumn,
  mappable,
  nameParts,
  namesSomebody,
  readMapping,
} from '../../api/services/resources/contacts/import/columns';
import { fc } from '../support/properties';

const labels = new Map([
  ['plan', 'plan'],
  ['customer plan', 'plan'],
  ['geburtstag', 'birthday'],
]);
const fieldNames = new Set(['plan', 'birthday']);
const [first, last] = nameParts;

/** The first lines of files as programs export them; `-` is kept as it is, and an empty text is left out. */
const exported: readonly (readonly [program: string, header: string, guess: string])[] = [
  ['what people write', 'E-Mail;Full Name;Mobile;Firma;Tags;Birthday', 'email;name;phone;company;tags;-'],
  ['German', 'Vorname;Nachname;Handy;Telefon;Firma;Notizen', `${first};${last};phone;-;company;notes`],
  ['German, one name of two', 'Vorname;Name;Handynummer', `${first};${last};phone`],
  ['Spanish', 'Nombre;Apellidos;Móvil;Correo electrónico;Empresa', `${first};${last};phone;email;company`],
  ['Spanish, one name', 'Nombre;Teléfono;Etiquetas', 'name;phone;tags'],
  ['Portuguese', 'Nome;Sobrenome;Celular;Empresa;Observações', `${first};${last};phone;company;notes`],
  ['Chatwoot', 'id;name;email;phone_number;identifier;country_code;created_at;labels', '-;name;email;phone;-;-;-;tags'],
  [
    'Google',
    'First Name;Middle Name;Last Name;Organization Name;Birthday;Notes;Labels;E-mail 1 - Label;E-mail 1 - Value;' +
      'E-mail 2 - Value;Phone 1 - Label;Phone 1 - Value;Phone 2 - Value',
    `${first};-;${last};company;-;notes;tags;-;email;-;-;phone;-`,
  ],
  [
    'Google before 2024',
    'Name;Given Name;Family Name;Group Membership;E-mail 1 - Type;E-mail 1 - Value;Phone 1 - Type;Phone 1 - Value;' +
      'Organization 1 - Name',
    'name;-;-;tags;-;email;-;phone;company',
  ],
  [
    'HubSpot',
    'Record ID;First Name;Last Name;Email;Phone Number;Mobile Phone Number;WhatsApp Phone Number;Company name',
    `-;${first};${last};email;-;-;phone;company`,
  ],
  [
    'Outlook',
    'First Name;Middle Name;Last Name;Company;E-mail Address;Home Phone;Business Phone;Mobile Phone;Notes;Categories',
    `${first};-;${last};company;email;-;-;phone;notes;tags`,
  ],
  ['Excel, with a column too much', 'Name;Phone;', 'name;phone;'],
  ['our own', 'phone;bsuid;name;email;(username);(created_at);plan', 'phone;bsuid;name;email;;;plan'],
  ['a label of the workspace', 'Telefon;Customer plan;Geburtstag', 'phone;plan;birthday'],
  ['twice the same', 'Phone;Note;Color;color', 'phone;notes;-;'],
  ['nobody', 'Surname;Age', `${last};-`],
];

it.each(exported)('the columns of %s are guessed', (_program, header, guess) => {
  const guessed = guessColumns(header.split(';'), labels);
  expect(guessed.join(';').replaceAll(keptColumn, '-')).toBe(guess);
});

it('a guess is a mapping that can be read, whatever the header', () => {
  const known = exported.flatMap(([, header]) => header.split(';'));
  const column = fc.oneof(fc.constantFrom(...known, ...mappable), fc.string({ maxLength: 20 }));
  fc.assert(
    fc.property(fc.array(column, { minLength: 1, maxLength: 12 }), (header) => {
      const guess = guessColumns(header, labels);
      const read = (): unknown => readMapping(header, guess, fieldNames);
      if (namesSomebody(guess)) expect(read()).toHaveLength(header.length);
      else expect(read).toThrow('One of the columns must be');
    }),
  );
});

it('a row is read by what its columns are', () => {
  const header = ['Vorname', 'Nachname', 'Telefon', 'phone', 'Gruppen', 'x'];
  const columns = readMapping(header, [first, last, 'phone', keptColumn, 'tags', leftOutColumn], fieldNames);
  expect(entriesOf([' Ada ', 'Lovelace', '1', '2', '* myContacts ::: Friends', 'y'], columns)).toEqual([
    ['phone', '1'],
    ['attributes', { phone: '2' }],
    ['tags', 'myContacts;Friends'],
    ['name', 'Ada Lovelace'],
  ]);
  expect(entriesOf(['', 'Lovelace', '1'], columns)).toContainEqual(['name', 'Lovelace']);
  expect(entriesOf(['', '', '1'], columns)).toEqual([['phone', '1']]);
});

it.each([
  [['phone'], 'The header row has 2 columns'],
  [['phone', 'phone'], 'Two columns cannot both be'],
  [['name', ''], 'One of the columns must be'],
  [['phone', 'color'], 'There is no column "color"'],
])('a mapping that cannot be is refused: %j', (columns, message) => {
  expect(() => readMapping(['Telefon', 'Name'], columns, fieldNames)).toThrow(message);
});
