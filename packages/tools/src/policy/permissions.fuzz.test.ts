import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { rounds, tellTried } from '@loom/blocks/testing';
import { Random, temporaryDirectory } from '@loom/kernel/testing';
import type { SimpleCommand } from '../command-line/simple-command.ts';
import { permitHost, tryHosts } from './testing/host-trials.ts';
import { realLines, tryAlways, tryLines } from './testing/line-trials.ts';
import type { Trials } from './testing/line-trials.ts';
import { decidePath, tryPaths } from './testing/path-trials.ts';

const seed = Number(process.env['LOOM_SEED'] ?? 20_261_118);
const tries = Number(process.env['LOOM_COMMAND_LINES'] ?? 300);
/** So many are tried before the time is looked at. */
const batch = 300;

/** Tries in batches, and finds nothing wrong. */
async function tryAll(t: TestContext, what: string, work: (random: Random, count: number) => Trials | Promise<Trials>) {
  const [share, ran] = [Math.min(batch, tries), { count: 0 }];
  let tried = 0;
  for (const round of rounds((done) => done * share >= tries, 0.25)) {
    const trials = await work(new Random(seed + round), share);
    assert.deepEqual(trials.wrong, [], `seed ${seed + round}`);
    ran.count += trials.ran;
    tried += share;
  }
  tellTried(t, tried, `${what}, of which ${ran.count} ran (seed ${seed})`);
  assert.ok(ran.count > tried / 100, `${ran.count} of ${tried} ran`);
}

test('[PM7] no line with tricks of the shell runs that bash would read as more than what a rule covers', async (t) => {
  const directory = temporaryDirectory(t);
  await tryAll(t, 'command lines', (random, count) => tryLines(random, count, directory, realLines));
});

test('[PM11] "always" lets run what its rule says as it is shown, and nothing else', async (t) => {
  const directory = temporaryDirectory(t);
  await tryAll(t, 'lines after "always"', (random, count) => tryAlways(random, count, directory, realLines));
});

test('[PM7] [FO1] no spelling of a path has a file changed that no rule covers, inside of the folder or outside', async (t) => {
  const top = temporaryDirectory(t);
  await tryAll(t, 'paths', (random, count) => tryPaths(random, count, top, decidePath));
});

test('[PM7] no host or tool passes a rule that does not cover it', async (t) => {
  await tryAll(t, 'hosts', (random, count) => tryHosts(random, count, permitHost));
});

/** Splits a line at its spaces, as a careless reader would. */
function splitLine(line: string): SimpleCommand {
  return { ok: true, words: line.trim().split(/ +/u) };
}

/** Refuses joined commands alone. */
function refuseJoined(line: string): SimpleCommand {
  return /[;&|<>]/u.test(line) ? { ok: false, reason: 'joined' } : splitLine(line.replaceAll(/['"]/gu, ''));
}

for (const [what, find] of [
  [
    'lines are split at spaces',
    (random: Random, top: string) => tryLines(random, batch, top, { ...realLines, read: splitLine }),
  ],
  [
    'only joined commands are refused',
    (random: Random, top: string) => tryLines(random, batch, top, { ...realLines, read: refuseJoined }),
  ],
  [
    '"always" stores more than it shows',
    (random: Random, top: string) =>
      tryAlways(random, batch, top, {
        ...realLines,
        read: refuseJoined,
      }),
  ],
  [
    'a rule is about the path as it is spelled',
    (random: Random, top: string) =>
      tryPaths(random, batch, top, (rules, request, spelled) =>
        decidePath(rules, { ...request, path: spelled }, spelled),
      ),
  ],
  [
    'a star leads into folders',
    (random: Random, top: string) =>
      tryPaths(random, batch, top, (rules, request, spelled) =>
        decidePath(
          rules.map(({ path = '**', ...rule }) => ({ ...rule, path: path.replaceAll(/\*+/gu, '**') })),
          request,
          spelled,
        ),
      ),
  ],
  [
    'a host that ends like the one of a rule passes',
    (random: Random) =>
      tryHosts(
        random,
        batch,
        (tool, host, rules) =>
          permitHost(tool, host, rules) ||
          rules.some(
            ({ host: pattern = '', effect }) =>
              effect === 'allow' && pattern.startsWith('*.') && host.endsWith(pattern.slice(2)),
          ),
      ),
  ],
  [
    'a rule of another tool counts',
    (random: Random) =>
      tryHosts(random, batch, (_tool, host, rules) => rules.some(({ tool }) => permitHost(tool, host, rules))),
  ],
] as const) {
  test(`[PM7] the trials find a planted fault: ${what}`, async (t) => {
    const { wrong } = await find(new Random(seed), temporaryDirectory(t));
    assert.notDeepEqual(wrong, []);
  });
}
