/** Flows: forms of the platform that customers fill in. */
export const flows = {
  title: 'Flows',
  search: 'Search',
  empty: {
    title: 'No flows',
    text: 'Flows are made at the messaging platform. They appear here after the next sync.',
    fits: 'None fits. ',
    all: 'Show all',
  },
  alert: 'alert',
  preview: 'Preview',
  errors: (count: number) => `The platform finds ${count} errors in the definition; they are mended there.`,
  facts: { id: 'Id', changed: 'Changed', synced: 'Read from the platform', endpoint: 'Endpoint' },
  endpoint: {
    title: 'Endpoint, the last seven days',
    table: 'Figures of the endpoint',
    figure: 'Figure',
    none: 'No figures yet.',
    unknown: 'The platform gives no figures at the moment.',
    metrics: {
      endpoint_request_count: 'Requests',
      endpoint_request_error: 'Errors',
      endpoint_request_error_rate: 'Error rate',
      endpoint_request_latency_seconds_ceil: 'Latency, seconds',
      endpoint_availability: 'Availability',
    },
    nothing: '–',
    share: (percent: number) => `${percent} %`,
  },
  submissions: {
    title: 'Submissions',
    none: 'No customer has submitted it yet.',
    customer: 'Customer',
    /** What a phone says beside the customer. */
    name: 'Name',
    answers: 'Answers',
    when: 'When',
  },
};
