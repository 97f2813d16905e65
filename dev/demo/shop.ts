/** One customer of the shop beside Anna: what they write, and what the team has done about it. */
interface ShopCustomer {
  readonly name: string;
  readonly text: string;
  /** How long ago they wrote; a minute, unless told. */
  readonly minutesAgo?: number;
  /** An answer that they were given. */
  readonly answer?: string;
  /** Changes of their conversation. */
  readonly state?: Readonly<Record<string, unknown>>;
  /** The colleague who has their conversation. */
  readonly colleague?: 'Mara' | 'Sam';
  /** The button that they press when they are asked how satisfied they are; their conversation is resolved then. */
  readonly rating?: number;
  /** A ticket about it. */
  readonly ticket?: Ticket;
}

interface Ticket {
  readonly title: string;
  /** The place of its stage in the pipeline; the first one, unless told. */
  readonly stage?: number;
  readonly priority?: 'high' | 'urgent';
}

/** The customers of the shop, so that its inbox looks like one on a working day. The first has waited longest. */
export const shopCustomers: readonly ShopCustomer[] = [
  {
    name: 'Elif Arslan',
    text: 'Thank you, the roses arrived today!',
    minutesAgo: 9_300,
    state: { conv_status: 'resolved' },
  },
  { name: 'Rosa Lopez', text: 'Great service, thanks.', minutesAgo: 7_100, state: { conv_status: 'resolved' } },
  { name: 'Uwe Fischer', text: 'Buy followers now!!!', minutesAgo: 4_400, state: { conv_status: 'spam' } },
  {
    name: 'Wim de Vries',
    text: 'The courier left it in the rain.',
    minutesAgo: 1_320,
    answer: 'I am sorry. A new one leaves us today.',
    colleague: 'Sam',
    ticket: { title: 'Parcel left in the rain', stage: 3 },
  },
  {
    name: 'Katja Braun',
    text: 'The shears are blunt after two weeks.',
    minutesAgo: 1_150,
    answer: 'Please send us a photo of the blades.',
    colleague: 'Mara',
    ticket: { title: 'Blunt shears', stage: 2 },
  },
  {
    name: 'Deniz Kaya',
    text: 'Do you deliver to Vienna?',
    minutesAgo: 490,
    answer: 'Yes, in three to five days.',
    rating: 0,
  },
  {
    name: 'Luca Rossi',
    text: 'Can I pick it up in the shop?',
    minutesAgo: 410,
    answer: 'Of course, until 18:00.',
    rating: 1,
  },
  {
    name: 'Samir Nasser',
    text: 'I would like to cancel order 48207.',
    minutesAgo: 131,
    state: { priority: 'urgent' },
    ticket: { title: 'Cancel order 48207', priority: 'urgent' },
  },
  {
    name: 'Hugo Martin',
    text: 'I was charged twice for order 48190.',
    minutesAgo: 96,
    colleague: 'Sam',
    ticket: { title: 'Charged twice for order 48190', stage: 1, priority: 'high' },
  },
  {
    name: 'Clara Weiß',
    text: 'The hose leaks at the valve. Can I send it back?',
    minutesAgo: 82,
    colleague: 'Mara',
    ticket: { title: 'Hose leaks at the valve', stage: 1 },
  },
  { name: 'Olga Ivanova', text: 'Two pots were broken.', minutesAgo: 67, ticket: { title: 'Two broken pots' } },
  { name: 'Ben Baker', text: 'Where is my parcel? Order 48213', minutesAgo: 58, colleague: 'Sam' },
  { name: 'Noah Schmidt', text: 'I need an invoice for my company.', minutesAgo: 49, colleague: 'Mara' },
  { name: 'Jonas Weber', text: 'Please change my address to Gartenweg 4.', minutesAgo: 44, colleague: 'Sam' },
  { name: 'Farid Haddad', text: 'مرحبا، هل لديكم مجارف؟', minutesAgo: 37 },
  { name: 'Paul Keller', text: 'Does the warranty cover the battery?', minutesAgo: 31, colleague: 'Mara' },
  { name: 'Greta Lind', text: 'Is the greenhouse back in stock?', minutesAgo: 26 },
  { name: 'Mia Sørensen', text: 'When do the tulip bulbs come?', minutesAgo: 22 },
  { name: 'Ida Novak', text: 'Which soil is right for tomatoes?', minutesAgo: 17 },
  { name: 'Tilda Berg', text: 'How deep do I plant garlic?', minutesAgo: 12 },
  { name: 'Vera Costa', text: 'Do you have gift cards?', minutesAgo: 9 },
  { name: 'Xenia Popov', text: 'Is this plant poisonous for cats?', minutesAgo: 6 },
  { name: 'Yusuf Demir', text: 'I will call you tomorrow.', minutesAgo: 4 },
  { name: 'Zoë Ward', text: 'Could you recommend something for shade? 🌿' },
];
