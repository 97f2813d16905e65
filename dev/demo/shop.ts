/** One customer of the shop beside Anna: what they write, and what the team has done about it. */
interface ShopCustomer {
  readonly name: string;
  readonly text: string;
  /** An answer that they were given. */
  readonly answer?: string;
  /** Changes of their conversation. */
  readonly state?: Readonly<Record<string, unknown>>;
  /** The title of a ticket about it. */
  readonly ticket?: string;
}

/** The customers of the shop, so that its inbox looks like one on a working day. */
export const shopCustomers: readonly ShopCustomer[] = [
  { name: 'Ben Baker', text: 'Where is my parcel? Order 48213' },
  { name: 'Clara Weiß', text: 'The hose leaks at the valve. Can I send it back?', ticket: 'Hose leaks at the valve' },
  { name: 'Deniz Kaya', text: 'Do you deliver to Vienna?', answer: 'Yes, in three to five days.' },
  { name: 'Elif Arslan', text: 'Thank you, the roses arrived today!', state: { conv_status: 'resolved' } },
  { name: 'Farid Haddad', text: 'مرحبا، هل لديكم مجارف؟' },
  { name: 'Greta Lind', text: 'Is the greenhouse back in stock?' },
  { name: 'Hugo Martin', text: 'I was charged twice for order 48190.', ticket: 'Charged twice for order 48190' },
  { name: 'Ida Novak', text: 'Which soil is right for tomatoes?' },
  { name: 'Jonas Weber', text: 'Please change my address to Gartenweg 4.' },
  { name: 'Katja Braun', text: 'The shears are blunt after two weeks.', ticket: 'Blunt shears' },
  { name: 'Luca Rossi', text: 'Can I pick it up in the shop?', answer: 'Of course, until 18:00.' },
  { name: 'Mia Sørensen', text: 'When do the tulip bulbs come?' },
  { name: 'Noah Schmidt', text: 'I need an invoice for my company.' },
  { name: 'Olga Ivanova', text: 'Two pots were broken.' },
  { name: 'Paul Keller', text: 'Does the warranty cover the battery?' },
  { name: 'Rosa Lopez', text: 'Great service, thanks.' },
  { name: 'Samir Nasser', text: 'I would like to cancel order 48207.', state: { priority: 'urgent' } },
  { name: 'Tilda Berg', text: 'How deep do I plant garlic?' },
  { name: 'Uwe Fischer', text: 'Buy followers now!!!', state: { conv_status: 'spam' } },
  { name: 'Vera Costa', text: 'Do you have gift cards?' },
  { name: 'Wim de Vries', text: 'The courier left it in the rain.', ticket: 'Parcel left in the rain' },
  { name: 'Xenia Popov', text: 'Is this plant poisonous for cats?' },
  { name: 'Yusuf Demir', text: 'I will call you tomorrow.' },
  { name: 'Zoë Ward', text: 'Could you recommend something for shade? 🌿' },
];
