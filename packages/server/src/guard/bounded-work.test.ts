import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serveLoom } from '../testing/served-loom.ts';

/** What a request may cost, in milliseconds of processor time: other programs of the machine do not count. */
const most = 500;

test('[SV76] patterns that explode, deep JSON, huge lines and endless lists cost half a second at most', async (t) => {
  const { requests, failures } = await serveLoom(t);
  const { root } = await requests.call('root.create', {});
  const line = `${'a'.repeat(200_000)}!`;
  const say = (content: string): Promise<unknown> =>
    requests.call('node.append', { parent: root, messages: [{ role: 'user', content }] });
  await say(line);
  await say('a\n'.repeat(100_000));
  const search = (query: string): [string, string] => ['kernel.search', JSON.stringify({ query })];
  const attacks: [string, string][] = [
    search('(a+)+$'),
    search('(a|aa)+b'),
    search('(.*)*x'),
    search('([a-z]{1,30}){1,30}$'),
    search('a.{500}b.{500}c'),
    search('x'.repeat(100_000)),
    ['root.list', '['.repeat(1_000_000)],
    ['root.list', `${'{"a":'.repeat(500_000)}1${'}'.repeat(500_000)}`],
    ['root.list', `{"after":"${'x'.repeat(7_000_000)}"}`],
    ['root.list', `{${Array.from({ length: 200_000 }, (_, index) => `"k${index}":1`).join(',')}}`],
    ['root.get', JSON.stringify({ root: '/'.repeat(1_000_000) })],
    ['node.append', JSON.stringify({ parent: root, messages: Array.from({ length: 40_000 }, () => 1) })],
    ['node.append', JSON.stringify({ parent: root, messages: Array.from({ length: 2_000_000 }, () => 1) })],
    ['kernel.search', JSON.stringify({ query: 'a', roots: Array.from({ length: 40_000 }, (_, index) => `r${index}`) })],
  ];
  // Once, so that what is loaded at the first use does not count.
  await requests.post('/api/v1/kernel.search', { query: 'a+b' });
  for (const [operation, body] of attacks) {
    const before = process.cpuUsage();
    const { status } = await requests.post(`/api/v1/${operation}`, body);
    const { user, system } = process.cpuUsage(before);
    const spent = (user + system) / 1000;
    assert.ok(status < 500, `${operation} ${body.slice(0, 50)}: ${status}`);
    assert.ok(spent < most, `${operation} ${body.slice(0, 50)} took ${Math.round(spent)} ms`);
  }
  assert.deepEqual(failures, []);
});
