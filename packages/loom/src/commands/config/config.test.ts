import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { runInside, type Outcome, type Surroundings } from '../../testing/fake-terminal.ts';
import { temporaryDirectory } from '@loom/kernel/testing';

const KEY = 'sk-proj-0123456789abcdefghij';

type Bench = {
  dataDir: string;
  file: string;
  text: () => string;
  /** Runs `loom config …`; words are separated by single blanks. */
  config: (line: string, surroundings?: Surroundings) => Promise<Outcome>;
};

function bench(context: TestContext, text?: string): Bench {
  const dataDir = temporaryDirectory(context);
  const file = join(dataDir, 'config.toml');
  if (text !== undefined) writeFileSync(file, text, { mode: 0o600 });
  return {
    dataDir,
    file,
    text: () => readFileSync(file, 'utf8'),
    config: (line, surroundings = {}) =>
      runInside(['config', ...(line === '' ? [] : line.split(' '))], {
        ...surroundings,
        env: { LOOM_DATA_DIR: dataDir, ...surroundings.env },
      }),
  };
}

test('[CF40] loom config and loom config list show every value with its origin, sorted, secrets masked', async (context) => {
  const { config } = bench(
    context,
    `# x\nproviders.openai.apiKey = "${KEY}"\ndefaults.model = "m"\nextra.password = "hush"\n`,
  );
  const { code, out, note } = await config('', { env: { GOOGLE_API_KEY: 'short' } });
  assert.equal(code, 0);
  assert.equal(
    out,
    `defaults.compact = "auto"             # default
defaults.model = "m"                  # config.toml:3
defaults.n = 1                        # default
extra.password = "…"                  # config.toml:4
providers.google.apiKey = "…"         # GOOGLE_API_KEY
providers.openai.apiKey = "sk-…ghij"  # config.toml:2
`,
  );
  assert.match(note, /^loom: warning: config\.toml:4: Loom does not know extra /);
  assert.equal((await config('list', { env: { GOOGLE_API_KEY: 'short' } })).out, out);
});

test('[CF40] loom config list --json gives values, origins and warnings as data, secrets masked', async (context) => {
  const { config, file, dataDir } = bench(context, `providers.openai.apiKey = "${KEY}"\nodd = 1\n`);
  const { out, note } = await config('list --json');
  assert.equal(note, '');
  const origin = (line: number): object => ({ type: 'file', file, line });
  assert.deepEqual(JSON.parse(out), {
    ok: true,
    data_dir: dataDir,
    files: [file],
    values: [
      { key: 'defaults.compact', value: 'auto', origin: { type: 'default' } },
      { key: 'defaults.n', value: 1, origin: { type: 'default' } },
      { key: 'odd', value: 1, origin: origin(2) },
      { key: 'providers.openai.apiKey', value: 'sk-…ghij', masked: true, origin: origin(1) },
    ],
    warnings: [{ code: 'unknown-key', message: 'Loom does not know odd (kept as it is)', file, line: 2, key: 'odd' }],
  });
});

test('[CF40] without a file the list says so; on a screen long values are cut; control characters never reach it', async (context) => {
  const { config, file } = bench(context);
  assert.match((await config('')).note, /There is no config\.toml in .* yet/);
  writeFileSync(file, `defaults.systemPrompt = "\\u001b[2J${'x'.repeat(200)}"\n`);
  const screen = await config('', { isScreen: true });
  assert.ok(screen.out.split('\n').every((line) => line.length < 130));
  assert.match((await config('')).out, /\\u001b\[2Jx{200}"/);
});

test('[CF41] loom config get prints the value alone; a table prints what is in it', async (context) => {
  const { config } = bench(
    context,
    '[defaults]\nmodel = "a/b"\nsystemPrompt = "two\\nlines"\n[[mcp_servers]]\nname = "x"\nargs = ["-y", "z"]\n',
  );
  assert.deepEqual(await config('get defaults.model'), { code: 0, out: 'a/b\n', note: '' });
  assert.equal((await config('get defaults.systemPrompt')).out, 'two\nlines\n');
  assert.equal((await config('get defaults.N')).out, '1\n');
  assert.equal((await config('get mcp_servers.x.args')).out, '["-y","z"]\n');
  assert.equal(
    (await config('get mcp_servers')).out,
    'mcp_servers.x.args = ["-y","z"]  # config.toml:6\nmcp_servers.x.name = "x"         # config.toml:5\n',
  );
  const json: unknown = JSON.parse((await config('get defaults.n --json')).out);
  assert.deepEqual(json, { ok: true, key: 'defaults.n', value: 1, origin: { type: 'default' } });
});

test('[CF41] a setting without a value exits with 1, a key that is none with 2', async (context) => {
  const { config } = bench(context);
  const unset = await config('get defaults.model');
  assert.deepEqual(unset, {
    code: 1,
    out: '',
    note: 'loom: defaults.model is not set\nTo set it: loom config set defaults.model <value>\n',
  });
  assert.match((await config('get providers.openai.apiKey')).note, /set providers\.openai\.apiKey -\n/);
  assert.match((await config('get providers')).note, /nothing is set in providers/);
  assert.equal((await config('get nonsense')).code, 2);
});

test('[CF49] secrets are masked unless --reveal is given; passwords in addresses are, too', async (context) => {
  const { config } = bench(
    context,
    `providers.openai.apiKey = "${KEY}"\nproviders.openai.baseURL = "https://me:pass@host/v1"\n[[mcp_servers]]\nname = "x"\nenv.TOKEN = "${KEY}"\n`,
  );
  assert.equal((await config('get providers.openai.apiKey')).out, 'sk-…ghij\n');
  assert.equal((await config('get providers.openai.apiKey --reveal')).out, `${KEY}\n`);
  assert.equal((await config('get providers.openai.baseURL')).out, 'https://me:…@host/v1\n');
  assert.equal((await config('get providers.openai.baseURL --reveal')).out, 'https://me:pass@host/v1\n');
  for (const line of ['', 'list --json', 'get mcp_servers', 'get providers --json']) {
    const { out, note } = await config(line, { isScreen: true });
    assert.ok(!out.includes(KEY) && !note.includes(KEY) && !out.includes('pass@'), out);
  }
  assert.match((await config('get providers.openai.apiKey', { isScreen: true })).note, /--reveal/);
});

test('[CF49] secrets are masked in numbers, lists, tables of others, arguments and addresses', async (context) => {
  const { config } = bench(
    context,
    `[providers.mine]
pin_secret = 1234567
tokens = ["hunter2-a"]
baseURL = "https://host/v1?api_key=hunter2-b&x=1"
[[mcp_servers]]
name = "files"
args = ["--root", "/srv", "--api-key", "hunter2-c", "--token=hunter2-d", "postgres://me:hunter2@e@db/x", "ghp_hunter2hunter2hunter2"]
[credentials]
mail = "hunter2-f"
[[accounts]]
name = "me"
password = "hunter2-g"
`,
  );
  for (const line of ['', 'list --json', 'get providers', 'get accounts', 'get mcp_servers.files.args --json']) {
    const { out, note } = await config(line);
    assert.doesNotMatch(out + note, /hunter2|1234567/);
  }
  assert.equal(
    (await config('get mcp_servers.files.args')).out,
    '["--root","/srv","--api-key","…","--token=…","postgres://me:…@db/x","ghp…ter2"]\n',
  );
  assert.match((await config('get accounts')).out, /^\[\{"name":"me","password":"…"\}\]\n$/);
  assert.match((await config('get accounts --reveal')).out, /hunter2-g/);
  assert.match(
    (await config('get providers.mine --json')).out,
    /"key":"providers.mine.tokens","value":\["…"\],"masked":true/,
  );
});

test('[CF42] a default model that loom chat does not have is set, with a warning that says what to do', async (context) => {
  const { config } = bench(context);
  const { code, note } = await config('set defaults.model anthropic/claude-opus-4-5');
  assert.equal(code, 0);
  assert.match(
    note,
    /^Warning: there is no key for anthropic, so loom chat will refuse .*Set ANTHROPIC_API_KEY, or: loom config set/,
  );
  assert.equal((await config('set defaults.model demo/slow')).note, '');
  assert.match(
    (await config('set defaults.model demo/slwo')).note,
    /^Warning: demo has no model "slwo".* demo:slow\?\n$/,
  );
});

test('[CF42] values are typed by their setting: text as it is, numbers and lists as in TOML', async (context) => {
  const { config, text } = bench(context, '# mine\n');
  for (const line of [
    'set defaults.model 123',
    'set defaults.temperature 0.7',
    'set defaults.maxTokens 1_024',
    'set defaults.n 0x10',
    'set mcp_servers.x.args ["a","b"]',
    'set defaults.systemPrompt -- -1',
    'set presets."gpt-4.1".n 2',
    'set providers.local.baseURL http://localhost:11434/v1',
  ]) {
    assert.equal((await config(line)).code, 0, line);
  }
  assert.equal(
    text(),
    `# mine

[defaults]
model = "123"
temperature = 0.7
maxTokens = 1024
n = 16
systemPrompt = "-1"

[[mcp_servers]]
name = "x"
args = ["a", "b"]

[presets."gpt-4.1"]
n = 2

[providers.local]
baseURL = "http://localhost:11434/v1"
`,
  );
});

test('[CF42] a value that does not fit its setting is a usage error that says what does, and changes nothing', async (context) => {
  const { config, file } = bench(context);
  for (const [line, message] of [
    ['set defaults.temperature hot', /must be a number, 0 or more, not "hot"/],
    ['set defaults.temperature nan', /must be a number/],
    ['set defaults.temperature inf', /must be a number/],
    ['set defaults.temperature true', /must be a number/],
    ['set defaults.temperature 1\nx=2', /must be a number/],
    ['set defaults.temperature 1,2', /must be a number/],
    ['set defaults.temperature 1#x', /must be a number/],
    ['set defaults.temperature ', /must be a number/],
    ['set defaults.n 1.5', /must be a whole number, 1 or more/],
    ['set defaults.n 0', /must be a whole number/],
    ['set defaults.n 99999999999999999999', /must be a whole number/],
    ['set mcp_servers.x.args a', /must be a list of texts[^]*'\["first", "second"\]'/],
    ['set mcp_servers.x.args [1]', /must be a list of texts/],
    ['set providers.x.baseURL localhost', /must be a web address/],
    ['set providers.x.baseURL ftp://host', /must be a web address\nIt starts with http/],
    ['set defaults.model a\uD800', /must be valid Unicode text/],
    ['set defaults x', /defaults is a table/],
  ] as const) {
    const outcome = await config(line);
    assert.equal(outcome.code, 2, line);
    assert.match(outcome.note, message);
  }
  const badKey = await runInside(['config', 'set', 'providers.x.apiKey', `${KEY} ${KEY}`]);
  assert.equal(badKey.code, 2);
  assert.ok(!badKey.note.includes(KEY), badKey.note);
  assert.equal(existsSync(file), false);
});

test('[CF42] set says what it did, when the value was there already, and when the environment overrules it', async (context) => {
  const { config, file } = bench(context);
  assert.deepEqual(await config('set defaults.n 2'), { code: 0, out: `Set defaults.n in ${file}.\n`, note: '' });
  assert.equal((await config('set defaults.n 2')).out, `defaults.n already has that value in ${file}.\n`);
  const overruled = await config('set providers.openai.apiKey -', { input: `${KEY}\n`, env: { OPENAI_API_KEY: 'x' } });
  assert.equal(overruled.note, 'OPENAI_API_KEY is set in the environment and stays in effect.\n');
  for (const [line, variable] of [
    ['set providers.openai.baseURL http://host', 'x'],
    ['set providers.openai.apiKey -', ' '],
  ] as const) {
    assert.equal((await config(line, { input: `${KEY}2`, env: { OPENAI_API_KEY: variable } })).note, '', line);
  }
  const json: unknown = JSON.parse((await config('set defaults.n 3 --json')).out);
  assert.deepEqual(json, { ok: true, key: 'defaults.n', file, changed: true, notes: [] });
});

test('[CF43] with - the value comes from standard input; a key given as an argument brings a hint', async (context) => {
  const { config, text } = bench(context);
  assert.equal((await config('set providers.openai.apiKey -', { input: `  ${KEY}\r\n` })).note, '');
  assert.equal(text(), `[providers.openai]\napiKey = "${KEY}"\n`);
  await config('set defaults.systemPrompt -', { input: 'Be brief.\nBe kind.\n' });
  assert.match(text(), /systemPrompt = """\nBe brief\.\nBe kind\."""\n/);
  const hinted = await config(`set providers.openai.apiKey ${KEY}9`);
  assert.match(hinted.note, /history; next time: loom config set providers\.openai\.apiKey -\n/);
  assert.ok(!`${hinted.note}${hinted.out}`.includes(KEY));
});

test('[LM11] [CF43] Ctrl-C at the hidden prompt ends with 130 and changes nothing', async (context) => {
  const { config, file } = bench(context);
  const { code, note } = await config('set providers.openai.apiKey -', { keyboard: 'sk-1\u0003' });
  assert.equal(code, 130);
  assert.match(note, /loom: interrupted; nothing was changed\n$/);
  assert.equal(existsSync(file), false);
});

test('[CF44] unset removes a value or a table, and says what holds instead', async (context) => {
  const { config, dataDir, file, text } = bench(
    context,
    '[defaults]\nn = 2 # two\nmodel = "m"\n\n[presets.a]\nn = 1\n',
  );
  writeFileSync(join(dataDir, 'config.work.toml'), 'defaults.model = "work"\n\n[providers.x]\nbaseURL = "http://x"\n');
  const unset = await config('unset defaults.n');
  assert.deepEqual(unset, {
    code: 0,
    out: `Removed defaults.n from ${file}.\n`,
    note: 'defaults.n still has a value, from default.\n',
  });
  assert.equal(
    (await config('unset defaults.model')).note,
    'defaults.model still has a value, from config.work.toml:1.\n',
  );
  assert.equal((await config('unset presets')).code, 0);
  assert.equal(text(), '[defaults]\n');
  assert.deepEqual(await config('unset presets'), { code: 0, out: `presets was not set in ${file}.\n`, note: '' });
  const elsewhere = await config('unset providers.x.baseURL');
  assert.equal(elsewhere.code, 1);
  assert.match(elsewhere.note, /is not set in config\.toml, but in config\.work\.toml:4/);
  assert.equal((await config('unset nonsense')).code, 2);
});

test('[CF44] unset also removes foreign keys, and works where other values are wrong', async (context) => {
  const { config, text } = bench(context, 'defaults.n = "many"\nforeign.key = 1\n');
  assert.equal((await config('unset foreign.key')).code, 0);
  assert.equal((await config('')).code, 1);
  assert.equal((await config('unset defaults.n')).code, 0);
  assert.equal(text(), '');
});

test('[CF45] path prints where the file is, there or not', async (context) => {
  const { config, file, dataDir } = bench(context);
  assert.deepEqual(await config('path'), { code: 0, out: `${file}\n`, note: '' });
  assert.deepEqual(JSON.parse((await config('path --json')).out), { ok: true, data_dir: dataDir, file, exists: false });
});

test('[CF48] a key that is not a setting is refused with the one that was probably meant', async (context) => {
  const { config, file } = bench(context);
  for (const [key, advice] of [
    ['default.model', 'Did you mean defaults.model?'],
    ['defaults.temprature', 'Did you mean defaults.temperature?'],
    ['providers.openai.apikye', 'Did you mean providers.openai.apiKey?'],
    ['model', 'Did you mean defaults.model?'],
    ['apiKey', 'Did you mean providers.<name>.apiKey?'],
    ['openai.apikey', 'Did you mean providers.openai.apiKey?'],
    ['OPENAI_API_KEY', 'Did you mean providers.openai.apiKey?'],
    ['presets.gpt-4.1.n', `Did you mean 'presets."gpt-4.1".n'?`],
    [
      'providers.openai',
      'Name something in it: providers.openai. followed by apiKey, key_command, baseURL, kind, thoughts, models, headers, projectId, plan, issuer.',
    ],
    ['xyzzy', 'See loom help config for all settings.'],
    ['presets.a.b.c', 'See loom help config for all settings.'],
  ] as const) {
    const { code, note } = await config(`set ${key} 1`);
    assert.equal(code, 2, key);
    assert.equal(note.split('\n')[1], advice);
  }
  assert.equal(existsSync(file), false);
});

test('[CF23] refusals of the writer reach the user with advice and exit code 1', async (context) => {
  const { config, text } = bench(context, 'defaults = 3\n[providers.openai.apiKey]\nx = 1\n[presets]\nlist = 1\n');
  const blocked = await config('set defaults.n 1');
  assert.equal(blocked.code, 1);
  assert.match(blocked.note, /defaults in .* is a value.*\nRemove it first: loom config unset defaults\n/);
  assert.match((await config('set providers.openai.apiKey k')).note, /is a table in .*\nRemove it first/);
  const json: unknown = JSON.parse((await config('set defaults.n 1 --json')).out);
  assert.match(JSON.stringify(json), /"code":"not-a-table"/);
  assert.match(text(), /^defaults = 3\n/);
  assert.equal((await config('unset defaults')).code, 0);
  assert.equal((await config('set defaults.n 1')).code, 0);
});
