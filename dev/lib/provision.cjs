'use strict';

const path = require('path');
const http = require('http');
const crypto = require('crypto');
const { run } = require('./processes.cjs');
const { root, readJson, writePrivate } = require('./settings.cjs');
const { UserError } = require('./log.cjs');

const admin = path.join(root, 'dist', 'admin', 'index.js');

function random(bytes) {
  return crypto.randomBytes(bytes).toString('hex');
}

/** Calls the admin CLI and gives the one JSON object that it prints. */
async function callAdmin(args, env) {
  const result = await run(process.execPath, [admin].concat(args, '--json'), { cwd: root, env, limitMs: 120000, separate: true });
  const shown = args.slice(0, 2).filter((word) => !word.startsWith('--')).join(' ');
  if (result.code !== 0) throw new UserError('Provisioning the demo workspace failed at `' + shown + '`:\n' + (result.errors || result.output).trim());
  try {
    return JSON.parse(result.output);
  } catch (error) {
    throw new UserError('Provisioning the demo workspace failed: `' + shown + '` printed no JSON:\n' + result.output.trim());
  }
}

/** Which database this is, so that another one behind DATABASE_URL is noticed. */
async function withDatabase(databaseUrl, work) {
  const { Client } = require('pg');
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** The demo rows that are remembered and still there; whatever vanished is forgotten, so that it is made anew. */
async function stillThere(demo, databaseUrl) {
  if (!demo || !demo.workspace_id) return {};
  return withDatabase(databaseUrl, async (client) => {
    async function has(sql, values) {
      return (await client.query(sql, values)).rowCount > 0;
    }
    // The number alone could be another workspace's in another database.
    if (!(await has('SELECT 1 FROM workspaces WHERE id = $1 AND name = $2', [demo.workspace_id, demo.workspace_name]))) return {};
    if (demo.member_id && !(await has('SELECT 1 FROM members WHERE id = $1 AND workspace_id = $2 AND lower(email) = lower($3)', [demo.member_id, demo.workspace_id, demo.email]))) {
      return {};
    }
    if (demo.key_id) {
      const hash = crypto.createHash('sha256').update(demo.api_key).digest();
      const found = await client.query('SELECT * FROM api_keys WHERE id = $1 AND workspace_id = $2 AND revoked_at IS NULL', [demo.key_id, demo.workspace_id]);
      const row = found.rows[0];
      const prefixed = row && (!row.prefix || demo.api_key.startsWith(row.prefix));
      if (!row || !(prefixed || (row.secret_hash && row.secret_hash.equals(hash)))) {
        delete demo.key_id;
        delete demo.api_key;
      }
    }
    return demo;
  });
}

/** True when somebody already has this email: it is unique in the installation. */
function emailTaken(email, databaseUrl) {
  return withDatabase(databaseUrl, async (client) => (await client.query('SELECT 1 FROM members WHERE lower(email) = lower($1)', [email])).rowCount > 0);
}

/**
 * Makes sure that the demo workspace exists: workspace, owner, team inbox and API key with every scope a key may
 * carry. Each step is remembered in `DATA_DIR/demo.json` as soon as it is done, so a run that was cut short goes
 * on where it ended. `options`: dataDir, databaseUrl, env (the services' environment), webhookUrl, log.
 */
async function provision(options) {
  const file = path.join(options.dataDir, 'demo.json');
  const before = readJson(file);
  const demo = await stillThere(before, options.databaseUrl);
  if (demo.workspace_id && demo.member_id && demo.inbox_id && demo.key_id) return demo;
  options.log('Provisioning the demo workspace');
  function keep(values) {
    Object.assign(demo, values);
    writePrivate(file, demo);
  }

  if (!demo.workspace_id) {
    const secrets = { access_token: random(24), app_secret: random(16), verify_token: random(12) };
    const account = sandboxAccount(secrets, options.webhookUrl);
    const name = 'Demo workspace';
    const made = await callAdmin(
      ['workspace', 'create', '--name', name, '--timezone', 'Europe/Berlin', '--plan', 'demo', '--ticketing', 'true', '--business-account-id', account.business_account_id,
        '--access-token', secrets.access_token, '--app-secret', secrets.app_secret, '--verify-token', secrets.verify_token],
      options.env
    );
    keep(Object.assign({ workspace_id: made.id, workspace_name: name, business_account_id: account.business_account_id }, secrets));
  }
  const workspace = String(demo.workspace_id);
  if (!demo.member_id) {
    const plain = 'demo@msgdesk.test';
    const email = (await emailTaken(plain, options.databaseUrl)) ? 'demo+' + random(3) + '@msgdesk.test' : plain;
    const password = random(8);
    const made = await callAdmin(['member', 'create', '--workspace', workspace, '--email', email, '--password', password, '--role', 'owner'], options.env);
    keep({ member_id: made.id, email, password });
  }
  if (!demo.inbox_id) {
    const made = await callAdmin(['inbox', 'create', '--workspace', workspace, '--name', 'Support', '--member', String(demo.member_id)], options.env);
    keep({ inbox_id: made.id });
  }
  if (!demo.key_id) {
    const scopes = require(path.join(root, 'dist', 'api', 'core', 'access.js')).keyScopes;
    const flags = scopes.reduce((all, scope) => all.concat('--scope', scope), []);
    const made = await callAdmin(['key', 'create', '--workspace', workspace, '--member', String(demo.member_id), '--name', 'Demo'].concat(flags), options.env);
    keep({ key_id: made.id, api_key: made.api_key });
  }
  return demo;
}

/** The sandbox's definition of the demo business account with these credentials. */
function sandboxAccount(secrets, webhookUrl) {
  const { demoAccount } = require(path.join(root, 'dist', 'dev', 'sandbox', 'demo.js'));
  return demoAccount({ accessToken: secrets.access_token, appSecret: secrets.app_secret, verifyToken: secrets.verify_token, webhookUrl });
}

function postJson(url, body) {
  return new Promise((resolve, reject) => {
    const text = JSON.stringify(body);
    const request = http.request(url, { method: 'POST', headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }, timeout: 10000 }, (response) => {
      let answer = '';
      response.setEncoding('utf8').on('data', (chunk) => {
        answer += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode, body: answer }));
    });
    request.on('timeout', () => request.destroy(new Error('no answer within 10 s')));
    request.on('error', reject);
    request.end(text);
  });
}

/** Tells the sandbox about the demo account; registering it again is harmless. */
async function registerAccount(demo, sandboxUrl, webhookUrl) {
  const answer = await postJson(sandboxUrl + '/_control/accounts', sandboxAccount(demo, webhookUrl));
  if (answer.status >= 300) throw new UserError('The sandbox refused the demo account (' + answer.status + '): ' + answer.body);
}

/** Copies numbers, templates, flows and products from upstream into the demo workspace. */
async function syncWorkspace(demo, env) {
  await callAdmin(['sync', '--workspace', String(demo.workspace_id)], env);
}

module.exports = { provision, registerAccount, syncWorkspace };
