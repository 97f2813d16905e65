import { ask } from './dialogs.js';
import { sendMessage, state } from './state.js';

/**
 * Lets the customer fill in a flow and submits it. A known flow is asked field by field; an unknown one, whose fields
 * are unknown here, too, as JSON.
 */
export async function submitFlow(flow, about) {
  const known = state.account.flows.find((item) => item.id === String(flow.flow_id));
  const sample = known && Object.keys(known.sample).length > 0 ? known.sample : null;
  const response = sample ? await askFields(known.name, sample) : await askJson();
  if (!response) return;
  const json = JSON.stringify({ ...response, flow_token: flow.flow_token });
  const reply = { type: 'nfm_reply', nfm_reply: { name: 'flow', body: 'Sent', response_json: json } };
  await sendMessage({ type: 'interactive', interactive: reply }, about);
}

function askFields(title, sample) {
  const label = (name) => name.slice(0, 1).toUpperCase() + name.slice(1).replace(/_/g, ' ');
  return ask(
    title,
    Object.entries(sample).map(([name, value]) => ({ name, label: label(name), value })),
  );
}

async function askJson() {
  const value = JSON.stringify({ name: 'Anna', comment: 'Great' }, null, 2);
  const given = await ask('Answer the form', [{ name: 'json', label: 'Response (JSON)', long: true, value }]);
  return given ? JSON.parse(given.json) : null;
}
