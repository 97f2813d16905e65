import type { KeptKind } from '../../../../core/config';

/** The workspace's settings, and its plan. */
export const workspace = {
  title: 'Workspace',
  plan: {
    title: 'Plan',
    on: 'You are on the plan {plan}.',
    ends: 'The trial ends {at}.',
    ended: 'The trial ended {at}.',
    none: 'No plan is chosen.',
    change: 'Change the plan',
    choose: 'Choose a plan',
    over: 'The trial is over. With a plan everything works again at once.',
    before: 'Choose a plan before the trial ends, and nothing stops.',
    chooseThis: 'Choose this plan',
    chosen: 'The plan is chosen. Everything works.',
  },
  fields: {
    name: { label: 'Name' },
    timezone: { label: 'Time zone', hint: 'All times of the dashboard are shown in it.' },
    language: {
      label: 'Language',
      hint: 'Of members who chose none, where their browser asks for none of these.',
    },
    country: {
      label: 'Country of phone numbers',
      hint: 'For numbers in forms and imported files that have no country code, as 0151 5550001.',
    },
    opt_out_words: {
      label: 'Words that opt out',
      hint: 'One per line. A customer who writes one of them gets no more marketing messages.',
    },
    opt_in_words: { label: 'Words that opt in again', hint: 'One per line.' },
    require_factor: { label: 'Everybody proves a second factor at sign-in' },
    show_read: {
      label: 'Show customers when their messages are read',
      hint: 'Two blue ticks, once a member has the conversation open.',
    },
    show_typing: {
      label: 'Show customers “typing…” while a member writes to them',
      hint:
        'Within 24 hours of their last message, never for notes. The platform shows their messages as read ' +
        'with it.',
    },
    ask_satisfaction: {
      label: 'Ask customers after a conversation is resolved',
      hint: 'Once a week at most, and within 24 hours of their last message. Changes of many at once ask nobody.',
    },
    satisfaction_question: { label: 'Question' },
    satisfaction_labels: {
      label: 'Buttons',
      hint:
        'Three, one per line, the best answer first; at most 20 characters each. Reports count the first as ' +
        'satisfied.',
    },
  },
  noCountry: 'None: every number has its country code',
  customersSee: 'What customers see',
  satisfaction: 'Satisfaction',
  saved: 'The settings are saved.',
  ignored: {
    title: 'Sent by the platform, not used here',
    about: 'The platform sends events that this version does nothing with. They are kept for a while.',
    count: '{count}, the last {at}',
  },
  kept: {
    title: 'How long things are kept',
    about:
      'Conversations, contacts and tickets stay until a member erases them. The rest is deleted after a time that ' +
      'the operator of this installation sets.',
    days: (days: number) => `${days} days`,
    kinds: {
      messages: 'Messages, with what customers sent in them',
      activity: 'Activity of conversations, contacts and tickets',
      audit: 'Audit log',
      approvals: 'Decided approvals',
      macroRuns: 'Runs of macros',
      webhookEvents: 'Webhook events and their deliveries',
      parkedEvents: 'What the platform sent and could not be processed or is not used',
      broadcastRecipients: 'Recipients of broadcasts; the figures stay',
      stageMoves: 'Who was told of moves of tickets',
      usage: 'Usage, which names no customer',
      aliases: 'Former numbers and ids of contacts',
    } satisfies Record<KeptKind, string>,
  },
};
