'use strict';

const path = require('path');
const http = require('http');
const crypto = require('crypto');
const { run } = require('./processes.cjs');
const { root, readJson, writePrivate } = require('./settings.cjs');
const { UserError } = require('./log.cjs');

const admin = path.join(root, 'dist', 'admin', 'index.js');
const inboxName = 'Support';

function random(bytes) {
  return crypto.randomBytes(bytes).toString('hex');
}

/** Calls the admin CLI and gives the one JSON object that it prints. */
async function callAdmin(args, env) {
  const result = await run(process.execPath, [admin].concat(args, '--json'), {
    cwd: root,
    env,
    limitMs: 120000,
    separate: true,
  });
  const shown = args
    .slice(0, 2)
    .filter((word) => !word.startsWith('--'))
    .join(' ');
  if (result.code !== 0)
    throw new UserError(
      'Provisioning the demo workspace failed at `' + shown + '`:\n' + (result.errors || result.output).trim(),
    );
  try {
    return JSON.parse(result.output);
  } catch (error) {
    throw new UserError(
      'Provisioning the demo workspace failed: `' + shown + '` printed no JSON:\n' + result.output.trim(),
    );
  }
}

/** Runs `work` with a function that gives a query's rows. */
async function withDatabase(databaseUrl, work) {
  const { Client } = require('pg');
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return await work(async (sql, values) => (await client.query(sql, values)).rows);
  } finally {
    await client.end();
  }
}

/**
 * What is remembered of the demo and still in this database. Whatever vanished is forgotten, so that it is made anew;
 * numbers alone could be somebody else's, in another database behind DATABASE_URL.
 */
async function stillThere(demo, databaseUrl) {
  if (!demo || !demo.workspace_id) return {};
  return withDatabase(databaseUrl, async (rows) => {
    const accounts = await rows('SELECT 1 FROM business_accounts WHERE workspace_id = $1 AND account_id = $2', [
      demo.workspace_id,
      demo.business_account_id,
    ]);
    if (accounts.length === 0) return {};
    const members = await rows(
      'SELECT 1 FROM members WHERE id = $1 AND workspace_id = $2 AND lower(email) = lower($3)',
      [demo.member_id || 0, demo.workspace_id, demo.email],
    );
    if (members.length === 0) for (const name of ['member_id', 'key_id']) delete demo[name];
    const inboxes = await rows('SELECT 1 FROM team_inboxes WHERE id = $1 AND workspace_id = $2', [
      demo.inbox_id || 0,
      demo.workspace_id,
    ]);
    if (inboxes.length === 0) delete demo.inbox_id;
    const keys = await rows('SELECT prefix FROM api_keys WHERE id = $1 AND workspace_id = $2 AND revoked_at IS NULL', [
      demo.key_id || 0,
      demo.workspace_id,
    ]);
    if (keys.length === 0 || !demo.api_key.startsWith(keys[0].prefix)) delete demo.key_id;
    return demo;
  });
}

/** What an earlier provisioning left in the database although `demo.json` does not know of it. */
function findEarlier(accountId, email, databaseUrl) {
  return withDatabase(databaseUrl, async (rows) => {
    const account = (await rows('SELECT workspace_id FROM business_accounts WHERE account_id = $1', [accountId]))[0];
    const member = (await rows('SELECT id, workspace_id FROM members WHERE lower(email) = lower($1)', [email]))[0];
    const inbox = account
      ? (
          await rows('SELECT id FROM team_inboxes WHERE workspace_id = $1 AND name = $2', [
            account.workspace_id,
            inboxName,
          ])
        )[0]
      : undefined;
    return { account, member, inbox };
  });
}

/**
 * Makes sure that the demo workspace exists: workspace, owner, team inbox and API key with every scope a key may
 * carry. Each step is remembered in `DATA_DIR/demo.json` as soon as it is done, so a run that was cut short goes
 * on where it ended; what is there without being remembered gets new credentials. `options`: dataDir, databaseUrl,
 * env (the services' environment), webhookUrl, log.
 */
async function provision(options) {
  const file = path.join(options.dataDir, 'demo.json');
  const demo = await stillThere(readJson(file), options.databaseUrl);
  if (demo.workspace_id && demo.member_id && demo.inbox_id && demo.key_id) return demo;
  options.log('Provisioning the demo workspace');
  const secrets = { access_token: random(24), app_secret: random(16), verify_token: random(12) };
  const accountId = sandboxAccount(secrets, options.webhookUrl).business_account_id;
  const email = 'demo@msgdesk.test';
  const earlier = await findEarlier(accountId, email, options.databaseUrl);
  function keep(values) {
    Object.assign(demo, values);
    writePrivate(file, demo);
  }

  if (!demo.workspace_id) {
    const account = [
      '--business-account-id',
      accountId,
      '--access-token',
      secrets.access_token,
      '--app-secret',
      secrets.app_secret,
      '--verify-token',
      secrets.verify_token,
    ];
    const made = earlier.account
      ? await callAdmin(['workspace', 'update', String(earlier.account.workspace_id)].concat(account), options.env)
      : await callAdmin(
          [
            'workspace',
            'create',
            '--name',
            'Demo workspace',
            '--timezone',
            'Europe/Berlin',
            '--plan',
            'demo',
            '--ticketing',
            'true',
          ].concat(account),
          options.env,
        );
    keep(Object.assign({ workspace_id: made.id, business_account_id: accountId }, secrets));
  }
  const workspace = String(demo.workspace_id);
  if (!demo.member_id) {
    const password = random(8);
    if (earlier.member && earlier.member.workspace_id === demo.workspace_id) {
      await callAdmin(
        ['member', 'update', String(earlier.member.id), '--password', password, '--role', 'owner', '--active', 'true'],
        options.env,
      );
      keep({ member_id: earlier.member.id, email, password });
    } else {
      // An email is unique in the installation: another workspace may have this one.
      const free = earlier.member ? 'demo+' + random(3) + '@msgdesk.test' : email;
      const made = await callAdmin(
        [
          'member',
          'create',
          '--workspace',
          workspace,
          '--email',
          free,
          '--password',
          password,
          '--role',
          'owner',
          '--name',
          'Demo Owner',
        ],
        options.env,
      );
      keep({ member_id: made.id, email: free, password });
    }
  }
  if (!demo.inbox_id) {
    const made =
      earlier.inbox ||
      (await callAdmin(
        ['inbox', 'create', '--workspace', workspace, '--name', inboxName, '--member', String(demo.member_id)],
        options.env,
      ));
    keep({ inbox_id: made.id });
  }
  if (!demo.key_id) {
    const made = await callAdmin(
      [
        'key',
        'create',
        '--workspace',
        workspace,
        '--member',
        String(demo.member_id),
        '--name',
        'Demo',
        '--scope',
        'all',
      ],
      options.env,
    );
    keep({ key_id: made.id, api_key: made.api_key });
  }
  return demo;
}

/** The sandbox's definition of the demo business account with these credentials. */
function sandboxAccount(secrets, webhookUrl) {
  const { demoAccount } = require(path.join(root, 'dist', 'dev', 'sandbox', 'demo.js'));
  return demoAccount({
    accessToken: secrets.access_token,
    appSecret: secrets.app_secret,
    verifyToken: secrets.verify_token,
    webhookUrl,
  });
}

function postJson(url, body) {
  return new Promise((resolve, reject) => {
    const text = JSON.stringify(body);
    const request = http.request(
      url,
      {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) },
        timeout: 10000,
      },
      (response) => {
        let answer = '';
        response.setEncoding('utf8').on('data', (chunk) => {
          answer += chunk;
        });
        response.on('end', () => resolve({ status: response.statusCode, body: answer }));
      },
    );
    request.on('timeout', () => request.destroy(new Error('no answer within 10 s')));
    request.on('error', reject);
    request.end(text);
  });
}

/** Tells the sandbox about the demo account; registering it again is harmless. */
async function registerAccount(demo, sandboxUrl, webhookUrl) {
  const answer = await postJson(sandboxUrl + '/_control/accounts', sandboxAccount(demo, webhookUrl));
  if (answer.status >= 300)
    throw new UserError('The sandbox refused the demo account (' + answer.status + '): ' + answer.body);
}

/** Copies numbers, templates, flows and products from upstream into the demo workspace. */
async function syncWorkspace(demo, env) {
  await callAdmin(['sync', '--workspace', String(demo.workspace_id)], env);
}

/** Lets the sandbox's receiver have the events of the demo workspace. A start goes on without. */
async function connectReceiver(options) {
  const { subscribeReceiver } = require(path.join(root, 'dist', 'dev', 'sandbox', 'receiver', 'subscribe.js'));
  const file = path.join(options.dataDir, 'demo.json');
  const remembered = readJson(file) || {};
  try {
    const known = await subscribeReceiver({
      baseUrl: options.baseUrl,
      apiKey: options.demo.api_key,
      sandboxUrl: options.sandboxUrl,
      known: remembered,
    });
    writePrivate(file, Object.assign(remembered, known));
  } catch (error) {
    options.log("The sandbox's receiver gets no events: " + error.message);
  }
}

module.exports = { connectReceiver, provision, registerAccount, syncWorkspace };
