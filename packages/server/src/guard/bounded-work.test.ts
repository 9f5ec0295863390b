import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { tellTried } from '@loom/blocks/testing';
import { serveLoom } from '../testing/served-loom.ts';
import type { Served } from '../testing/served-loom.ts';

/** A hostile request and the fate that keeps it cheap. */
interface Attack {
  operation: string;
  body: string;
  /** The reason of the refusal; without one the request is answered. */
  refused?: string;
  /** True if the body must be refused before it is parsed. */
  isUnread?: boolean;
}

/** Counts the characters of large texts that are parsed as JSON, until the test ends. */
function countParsed(t: TestContext): () => number {
  let parsed = 0;
  const { parse } = JSON;
  t.mock.method(JSON, 'parse', (text: string): unknown => {
    if (text.length >= 100_000) parsed += text.length;
    return parse(text);
  });
  return () => parsed;
}

test('[SV76] patterns that explode, deep JSON, huge lines and endless lists are answered within bounds, whatever they ask', async (t) => {
  tellTried(t, await attack(t, await serveLoom(t)), 'requests that ask for endless work');
});

test('[SV76] the attacks find planted faults: a body that is parsed before its depth is known, and a refusal that names everything', async (t) => {
  const served = await serveLoom(t);
  const { requests } = served;
  const post = requests.post.bind(requests);
  const planted = t.mock.method(requests, 'post', (path: string, body: string) => {
    try {
      JSON.parse(body);
    } catch {
      // The server says so, too.
    }
    return post(path, body);
  });
  await assert.rejects(attack(t, served), /characters were parsed/u);
  planted.mock.mockImplementation(async (path: string, body: string) => {
    const answer = await post(path, body);
    return answer.status < 400 ? answer : { ...answer, body: { ...answer.body, sent: body } };
  });
  await assert.rejects(attack(t, served), /answered with/u);
});

/** Sends all attacks and checks that each is cheap. Returns their number. */
async function attack(t: TestContext, { requests, failures }: Served): Promise<number> {
  const { root } = await requests.call('root.create', {});
  const say = (content: string): Promise<unknown> =>
    requests.call('node.append', { parent: root, messages: [{ role: 'user', content }] });
  await say(`${'a'.repeat(200_000)}!`);
  await say('a\n'.repeat(100_000));
  const search = (query: string): Attack => ({ operation: 'kernel.search', body: JSON.stringify({ query }) });
  const list = (body: string): Attack => ({ operation: 'root.list', body, refused: 'not-json', isUnread: true });
  const append = (length: number): Attack => ({
    operation: 'node.append',
    body: JSON.stringify({ parent: root, messages: Array.from({ length }, () => 1) }),
    refused: 'invalid-params',
  });
  const roots = Array.from({ length: 40_000 }, (_, index) => `r${index}`);
  const attacks: Attack[] = [
    // An engine that backtracks never ends with these. Ours counts its steps: see SE40.
    search('(a+)+$'),
    search('(a|aa)+b'),
    search('(.*)*x'),
    search('([a-z]{1,30}){1,30}$'),
    search('a.{500}b.{500}c'),
    { ...search('x'.repeat(100_000)), refused: 'invalid-params' },
    list('['.repeat(1_000_000)),
    list(`${'{"a":'.repeat(500_000)}1${'}'.repeat(500_000)}`),
    list(`{${Array.from({ length: 200_000 }, (_, index) => `"k${index}":1`).join(',')}}`),
    { operation: 'root.list', body: `{"after":"${'x'.repeat(7_000_000)}"}`, refused: 'invalid-params' },
    append(40_000),
    { ...append(2_000_000), refused: 'not-json', isUnread: true },
    { operation: 'kernel.search', body: JSON.stringify({ query: 'a', roots }), refused: 'root-not-found' },
  ];
  const parsed = countParsed(t);
  for (const { operation, body, refused, isUnread } of attacks) {
    const before = parsed();
    const answer = await requests.post(`/api/v1/${operation}`, body);
    const words = `${operation} ${body.slice(0, 50)}: ${answer.status}`;
    const said = JSON.stringify(answer.body);
    assert.equal(answer.body['ok'], refused === undefined, words);
    if (refused !== undefined) assert.ok(said.includes(`"reason":"${refused}"`), `${words} ${said.slice(0, 200)}`);
    // Of many faults a few are named.
    assert.ok(said.length < 10_000, `${words}, answered with ${said.length} characters`);
    // Once as the body, and once more where a text in it is read as JSON itself.
    const most = isUnread === true ? 0 : 2 * body.length;
    assert.ok(parsed() - before <= most, `${words}, ${parsed() - before} characters were parsed`);
  }
  assert.deepEqual(failures, []);
  return attacks.length;
}

test('[SV76] a search that would take more steps than it has says that it did not look at everything', async (t) => {
  const { requests } = await serveLoom(t);
  const { root } = await requests.call('root.create', {});
  await requests.call('node.append', { parent: root, messages: [{ role: 'user', content: 'a'.repeat(200_000) }] });
  const { truncated } = await requests.call('kernel.search', { query: '([a-z]{1,30}){1,30}$' });
  assert.equal(truncated, true);
});
