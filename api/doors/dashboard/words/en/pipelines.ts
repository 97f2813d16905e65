import { plural } from '../plural';

const worded = (name: string): string => name.replaceAll('_', ' ');

/** Pipelines of tickets, their stages, and what a stage sends. */
export const pipelines = {
  title: 'Pipelines',
  all: 'All pipelines',
  new: 'New pipeline',
  about:
    'A pipeline is the way of a ticket, stage by stage. A stage can tell the customers by a template when a ticket ' +
    'comes to it.',
  default: 'Default',
  board: 'Board',
  lookAt: 'Look at',
  sends: (template: string) => `sends ${template}`,
  sendsTitle: (template: string) => `Sends ${template}`,
  moveUp: (name: string) => `Move ${name} up`,
  moveDown: (name: string) => `Move ${name} down`,
  tickets: (count: number) => plural(count, { one: 'ticket', other: 'tickets' }),
  settings: 'Settings',
  create: 'Create pipeline',
  remove: 'Delete…',
  made: 'The pipeline is created.',
  saved: 'The pipeline is saved.',
  fields: {
    name: { label: 'Name' },
    description: { label: 'Description' },
    is_default: { label: 'New tickets come to this pipeline' },
  },
  firstStages: {
    label: 'Stages',
    hint: 'One on each line, in their order. The last one closes its tickets; everything else can be set afterwards.',
    usual: 'New\nIn progress\nDone',
  },
  stages: {
    title: 'Stages',
    closes: 'Closes',
    pauses: 'Deadlines stand still',
    add: 'Add a stage',
    remove: (name: string) => `Delete ${name}`,
  },
  stage: {
    title: (name: string) => `Stage ${name}`,
    new: 'New stage',
    of: (name: string) => `Pipeline ${name}`,
    add: 'Add stage',
    made: 'The stage is added.',
    saved: 'The stage is saved.',
    name: 'Name',
    color: 'Colour',
    is_terminal: 'Closes its tickets',
    pauses_sla: 'Deadlines stand still while a ticket is here',
  },
  delete: {
    title: (name: string) => `Delete ${name}`,
    pipeline: {
      ask: (name: string) => `Delete the pipeline “${name}”?`,
      choose: 'Choose a pipeline',
      done: 'The pipeline is deleted.',
    },
    stage: {
      ask: (name: string) => `Delete the stage “${name}”?`,
      choose: 'Choose a stage',
      done: 'The stage is deleted.',
    },
    text: 'This cannot be undone.',
    holds: ' It holds ',
    moved: '. Nobody is notified when they move.',
    target: 'Where its tickets go',
    none: 'It has none',
  },
  message: {
    title: 'Message to the customer',
    about:
      'Sent to the primary contact and every affected contact when a ticket is moved here. Changes count for moves ' +
      'from now on.',
    hidden: 'Your permissions do not let you see templates (template.view), so the message stays as it is.',
    template: 'Template',
    none: 'No message',
    gone: (name: string) => `${name} (cannot be sent now)`,
    marketing: 'A marketing template: contacts who opted out do not get it.',
    show: 'Show its placeholders',
    incomplete: 'Choose what stands for each placeholder, or “Nothing (a dash)”.',
    choose: 'Choose what stands here',
    dash: 'Nothing (a dash)',
    static: 'A fixed text',
    ofContact: (name: string) => `Contact: ${worded(name)}`,
    ofTicket: (name: string) => `Ticket: ${name === 'id' ? 'number' : worded(name)}`,
    header: (name: string) => `Header {{${name}}}`,
    body: (name: string) => `Text {{${name}}}`,
    textFor: (name: string) => `Text for {{${name}}}`,
    otherwise: (name: string) => `{{${name}}} if it is empty`,
    preview: 'As a customer would see it, with the values of an example',
    /** What the preview shows in the place of a real ticket and contact. */
    sample: {
      contact: {
        name: 'Ada Lovelace',
        first_name: 'Ada',
        phone: '+44 20 7946 0000',
        email: 'ada@example.com',
        company: 'Analytical Engines',
      },
      ticket: { id: '1042', title: 'Parcel is late', severity: 'Sev2 High' },
      stage: 'This stage',
    },
  },
};
