import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { test, type TestContext } from 'node:test';
import * as fc from 'fast-check';
import { nodeDisk } from '@loom/data-folder/files';
import { temporaryDirectory } from '@loom/kernel/testing';
import { ConfigError } from './config-error.ts';
import { parseConfigText, readConfigFile } from './config-file.ts';
import { readConfig } from './read.ts';

function failureOf(text: string): ConfigError {
  try {
    parseConfigText('/home/me/.loom/config.toml', text);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  return assert.fail('parsed');
}

async function failureOfReading(context: TestContext, content: string | Uint8Array): Promise<ConfigError> {
  const dataDir = temporaryDirectory(context);
  writeFileSync(join(dataDir, 'config.toml'), content);
  const error: unknown = await readConfig({ dataDir, env: {} }).catch((reason: unknown) => reason);
  assert.ok(error instanceof ConfigError, inspect(error));
  assert.deepEqual(readFileSync(join(dataDir, 'config.toml')), Buffer.from(content));
  return error;
}

test('[CF10] bad TOML names file, line and column, shows the line with a mark, and says what to do', () => {
  const error = failureOf('[defaults]\r\nmodel = gpt-4o\r\nn = 1\r\n');
  assert.equal(error.code, 'bad-toml');
  assert.equal(
    error.message,
    `/home/me/.loom/config.toml:2:9: invalid value

  1 | [defaults]
  2 | model = gpt-4o
    |         ^
  3 | n = 1
`,
  );
  assert.match(error.advice ?? '', /line 2.*nothing was changed.*need quotes/);
  assert.deepEqual([error.details['line'], error.details['column']], [2, 9]);
});

test('[CF10] mistakes at the edges of a file, of a long line and of the format are placed, too', () => {
  assert.match(failureOf('a').message, /:1:1: /);
  assert.match(failureOf('[a]\nx = 1\n[a]\n').advice ?? '', /twice/);
  assert.match(failureOf('x = "open\n').advice ?? '', /closing quote/);
  const long = failureOf(`x = [${'1, '.repeat(200)}oops ]`);
  assert.match(long.message, /oops/);
  assert.ok(Math.max(...long.message.split('\n').map((line) => line.length)) < 120);
  assert.equal(failureOf('__proto__.x = 1\n').code, 'bad-toml');
  assert.equal(failureOf(`x = ${'['.repeat(200)}${']'.repeat(200)}`).code, 'bad-toml');
});

test('[CF11] no excerpt shows a key, wherever in a broken file it stands', () => {
  const secret = fc.constantFrom(
    'sk-proj-0123456789abcdefABCDEF',
    'AIzaSyA0123456789abcdefghijklmnop',
    'gsk_aaaaBBBB11112222ccccDDDD',
  );
  const line = fc.constantFrom(
    (key: string) => `apiKey = "${key}`,
    (key: string) => `apiKey = ${key}`,
    (key: string) => `"api_key" = "${key}"" `,
    (key: string) => `openai = { apiKey = "${key}", `,
    (key: string) => `apiKey: "${key}"`,
    (key: string) => `apiKey = """\n${key}\n`,
    (key: string) => `env = { TOKEN = "${key}" = }`,
    (key: string) => `x ${key}`,
    (key: string) => `OPENAI_API_KEY="${key}" oops`,
    (key: string) => `x = = # ${key}`,
  );
  fc.assert(
    fc.property(
      secret,
      line,
      fc.constantFrom('', '[providers.openai]\n', 'n = 1\n\n'),
      fc.constantFrom('', '\nx = \n'),
      (key, make, before, after) => {
        const error = failureOf(`${before}${make(key)}${after}\n]`);
        // Debug output shows everything an error carries.
        const shown = inspect(error, { depth: 9 });
        assert.ok(!shown.includes(key), shown);
        assert.equal(error.cause, undefined);
      },
    ),
  );
});

test('[CF11] short secrets are blotted out as well: under a telling header, and in a text that goes on', () => {
  for (const text of [
    '[mcp_servers.env]\nDATABASE = "hunter2"\nx = oops\nOTHER = "hunter2"\n',
    '[secrets]\nmail = "hunter2"\nx = oops\n',
    "password = '''\n\nhunter2\nhunter2\n''' oops\n",
    'apiKey =\nhunter2\n',
  ]) {
    const { message } = failureOf(text);
    assert.doesNotMatch(message, /hunter2/);
    assert.match(message, /•{7}/);
  }
  assert.match(failureOf('[defaults]\nmodel = "m"\nx = oops\n').message, /"m"\n.*oops/);
});

test('[CF12] a text where a table should be is not shown: it may be a key', async (context) => {
  const error = await failureOfReading(
    context,
    '[providers]\nopenai = "hunter2"\n[[mcp_servers]]\nname = "x"\nenv = "hunter2"\n',
  );
  const file = String(error.details['file']);
  assert.deepEqual(error.message.replaceAll(`${file}:`, '').split('\n'), [
    '2: providers.openai must be a table, written as [providers.openai], but is text',
    '5: mcp_servers.x.env must be a table, written as [mcp_servers.env], but is text',
  ]);
});

test('[CF12] values of the wrong type are all reported, by key, file, line and expectation, without showing secrets', async (context) => {
  const error = await failureOfReading(
    context,
    `currentNodeId = 5
presets = 3
bookmarks = { }

[defaults]
temperature = "hot"
maxTokens = 0
model = ["m"]
n = nan

[providers.openai]
apiKey = 12345678901234567890
baseURL = true

[[mcp_servers]]
args = ["ok", 1]
`,
  );
  assert.equal(error.code, 'bad-type');
  const file = String(error.details['file']);
  assert.deepEqual(error.message.replaceAll(`${file}:`, '').split('\n'), [
    '1: currentNodeId must be text, but is 5',
    '2: presets must be a table, written as [presets], but is 3',
    '3: bookmarks must be a list of tables, written as [[bookmarks]], but is a table',
    '6: defaults.temperature must be a number, 0 or more, but is the text "hot"',
    '7: defaults.maxTokens must be a whole number, 1 or more, but is 0',
    '8: defaults.model must be text, but is a list',
    '9: defaults.n must be a whole number, 1 or more, but is NaN',
    '12: providers.openai.apiKey must be text, but is a number',
    '13: providers.openai.baseURL must be text, but is true',
    '15: mcp_servers.#1.name is missing',
    '16: mcp_servers.#1.args.1 must be a list of texts, but is 1',
  ]);
  assert.match(error.advice ?? '', /loom config set/);
});

test('[CF13] what is no UTF-8, too large, a directory or not permitted is an error with advice, and stays as it is', async (context) => {
  assert.equal((await failureOfReading(context, Buffer.from([0xff, 0xfe, 0x61, 0x00]))).code, 'bad-encoding');
  assert.equal((await failureOfReading(context, Buffer.from('a = "\xff"', 'latin1'))).code, 'bad-encoding');
  assert.equal((await failureOfReading(context, '#'.repeat(4 * 1024 * 1024 + 1))).code, 'too-large');
  const dataDir = temporaryDirectory(context);
  mkdirSync(join(dataDir, 'config.toml'));
  await assert.rejects(readConfig({ dataDir, env: {} }), { code: 'cannot-read', message: /it is a directory/ });
  await assert.rejects(readConfig({ dataDir: join(import.meta.filename, 'x'), env: {} }), { code: 'cannot-read' });
  await assert.rejects(readConfigFile(nodeDisk, '/dev/null'), { code: 'cannot-read', message: /not a regular file/ });
  const locked = { ...nodeDisk, read: () => Promise.reject(Object.assign(new Error('no'), { code: 'EACCES' })) };
  await assert.rejects(readConfigFile(locked, '/x/config.toml'), {
    code: 'cannot-read',
    message: 'cannot read /x/config.toml: permission denied',
    advice: /who owns it/,
  });
});
