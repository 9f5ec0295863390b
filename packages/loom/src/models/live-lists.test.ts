import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test, type TestContext } from 'node:test';
import { ForestFolder } from '../testing/forest-folder.ts';
import { createModels } from './models.ts';

/** A server in the place of OpenAI, with a list of models that a test can change. */
async function startVendor(context: TestContext) {
  const vendor = {
    url: '',
    status: 200,
    models: [
      { id: 'gpt-99', created: 1_795_000_000 },
      { id: 'gpt-99-mini', created: 1_796_000_000 },
      { id: 'gpt-99-2026-11-18', created: 1_795_000_000 },
      { id: 'gpt-5.4-mini', created: 1_770_000_000 },
      { id: 'gpt-4o', created: 1_710_000_000 },
      { id: 'whisper-9', created: 1_796_000_000 },
    ],
    keys: new Array<string | undefined>(),
  };
  const server = createServer((request, response) => {
    vendor.keys.push(request.headers.authorization);
    response.writeHead(vendor.status, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ data: vendor.models, error: { message: request.headers.authorization } }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  context.after(() => server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') assert.fail('no port');
  vendor.url = `http://127.0.0.1:${address.port}`;
  return vendor;
}

async function setUp(context: TestContext) {
  const vendor = await startVendor(context);
  const folder = new ForestFolder(context);
  const env: Record<string, string> = { OPENAI_API_KEY: 'canary-one' };
  await folder.succeed(['config', 'set', 'providers.openai.baseURL', vendor.url]);
  let now = 0;
  const clock = { now: () => now, after: () => () => {} };
  const models = createModels({ dataDir: folder.dataDir, env, clock });
  const openai = async (live = true) => {
    const listed = (await models.overview({ live })).find(({ name }) => name === 'openai') ?? assert.fail();
    const names = (isOlder: boolean): string[] =>
      listed.models.filter((model) => model.isOlder === isOlder).map(({ model }) => model);
    return { ...listed, current: names(false), older: names(true) };
  };
  const pass = (milliseconds: number): void => {
    now += milliseconds;
  };
  return { vendor, folder, env, models, openai, pass };
}

test('[MO27] the models that a provider lists are joined with the catalogue: newest first, and what it no longer lists behind', async (context) => {
  const { openai } = await setUp(context);
  const { current, older, models } = await openai();
  assert.deepEqual(current.slice(0, 3), ['gpt-99-mini', 'gpt-99', 'gpt-5.4-mini'], 'by the day, and the usual one');
  assert.deepEqual(older.slice(0, 2), ['gpt-99-2026-11-18', 'gpt-4o'], 'a name with a date, and a line left behind');
  assert.ok(older.includes('gpt-5'), 'the catalogue alone knows it');
  assert.ok(!current.includes('whisper-9') && !older.includes('whisper-9'));
  const factsOf = (wanted: string) => models.find(({ model }) => model === wanted)?.facts();
  assert.equal(factsOf('gpt-99')?.price, undefined);
  assert.deepEqual([factsOf('gpt-4o')?.context, factsOf('gpt-4o')?.price?.input], [128_000, 2.5]);
});

test('[MO28] a provider is asked only for a list that is shown, with the key of the moment, and not again for ten minutes', async (context) => {
  const { vendor, folder, env, models, openai, pass } = await setUp(context);
  await models.load();
  await models.choose('openai');
  await models.list({ live: false });
  assert.deepEqual(vendor.keys, [], 'nothing has left the machine');
  await Promise.all([openai(), openai(), models.list({ live: true })]);
  assert.ok((await openai(false)).current.includes('gpt-99'), 'other lists know what was heard');
  assert.ok(models.names().includes('openai/gpt-99'));
  assert.deepEqual(vendor.keys, ['Bearer canary-one']);
  pass(10 * 60_000);
  vendor.models.push({ id: 'o77', created: 1_799_000_000 });
  assert.equal((await openai()).current[0], 'o77');
  env['OPENAI_API_KEY'] = 'canary-two';
  await openai();
  assert.deepEqual(vendor.keys, ['Bearer canary-one', 'Bearer canary-one', 'Bearer canary-two']);
  await folder.succeed(['config', 'set', 'defaults.liveModels', 'false']);
  pass(10 * 60_000);
  await openai();
  assert.equal(vendor.keys.length, 3, 'a setting keeps all lists at home');
});

test('[MO29] a list that cannot be read is replaced by the last one or the catalogue, and says why without the key', async (context) => {
  const { vendor, folder, env, openai, pass } = await setUp(context);
  vendor.status = 401;
  const refused = await openai();
  assert.deepEqual(refused.problem?.code, 'key-refused');
  assert.ok(refused.hindrance === undefined && refused.current.includes('gpt-5.4-mini'), 'nothing is blocked');
  await openai();
  assert.equal(vendor.keys.length, 1, 'a failure is not repeated at once');
  const out = await folder.succeed(['models'], { env });
  assert.match(out, /^openai\n {2}openai does not take the key\. Set another one\.\n {2}openai\/gpt/);
  assert.doesNotMatch(out, /canary/);
  assert.match(await folder.succeed(['models', '--json'], { env }), /"problem":\{"code":"key-refused"/);
  vendor.status = 200;
  pass(30_000);
  assert.equal((await openai()).problem, undefined);
  vendor.status = 503;
  pass(10 * 60_000);
  const away = await openai();
  assert.deepEqual([away.problem?.code, away.current.includes('gpt-99')], ['no-answer', true]);
});

test('[MO28] a program that prints a key is not started for a list', async (context) => {
  const { vendor, folder, openai, env } = await setUp(context);
  delete env['OPENAI_API_KEY'];
  await folder.succeed(['config', 'set', 'providers.openai.key_command', 'echo canary-three']);
  assert.ok((await openai()).current.includes('gpt-5.4-mini'));
  assert.deepEqual(vendor.keys, []);
});
