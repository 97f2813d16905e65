'use strict';

/** What `--help` prints, without anything installed. */
exports.start = `npm start [-- --fresh]

Runs everything on this machine: PostgreSQL, Temporal, a sandbox of the platform, the API and a worker, with a demo
workspace. Prints one table with every address when it is ready. Ctrl-C stops all of it; the next start goes on with
the same data.

  --fresh   start over: remove the data in DATA_DIR (.data) first
  --help    print this

The first start installs dependencies, builds, and fetches a Temporal server when there is none: a few minutes.
Ports and folders are set in the environment or in .env; README.md lists them.`;

exports.test = `npm test [-- <part of a test file's path> ...] [-- <options of jest>]

Runs the whole suite: types, format, lint and all tests, on a PostgreSQL and a Temporal of its own that are thrown away
afterwards. With arguments: types, and the tests whose path contains one of them. Ends with \`N passed, N failed\`.

  npm test -- test/api/tickets          one file
  npm test -- test/api/tickets -t paging    its tests with that name
  --help                                print this

The first run installs dependencies, builds, and fetches a Temporal server when there is none: a few minutes.
KEEP=1 keeps the folder of the servers. TEST_TIME_LIMIT_MINUTES (60) ends jest. CI=true fails without the
time-skipping server. TEST_SCREENSHOTS=<folder> keeps pictures of pages.`;
