import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { isGroup, type Command, type CommandLeaf } from './command.ts';
import { ROOT } from './commands.ts';
import { SETTINGS } from '../config/settings.ts';
import { runInside } from '../testing/fake-terminal.ts';
import { temporaryDirectory } from '@loom/kernel/testing';

/** Returns every command of the table as the words that call it. */
function allCommands(command: Command, words: string[]): string[][] {
  return [
    words,
    ...(isGroup(command) ? command.subcommands.flatMap((sub) => allCommands(sub, [...words, sub.name])) : []),
  ];
}

test('[LM1] loom, loom --help, loom -h and loom help print the same, on stdout, and succeed', async () => {
  const expected = await runInside(['--help']);
  assert.equal(expected.code, 0);
  assert.equal(expected.note, '');
  assert.match(expected.out, /^Usage: loom <command>\n/);
  assert.match(expected.out, /Data lives in ~\/\.loom/);
  assert.match(expected.out, /\n {2}--data-dir <dir> [^]*\n {2}-h, --help /);
  for (const args of [[], ['-h'], ['help']]) assert.deepEqual(await runInside(args), expected);
});

test('[LM2] for every command, loom help <command> is loom <command> --help', async () => {
  for (const words of allCommands(ROOT, [])) {
    const help = await runInside(['help', ...words]);
    assert.equal(help.code, 0);
    assert.deepEqual(await runInside([...words, '--help']), help);
    assert.deepEqual(await runInside(['--help', ...words]), help);
  }
});

test('[LM2] help for a command that does not exist is a usage error', async () => {
  assert.equal((await runInside(['help', 'confg'])).code, 2);
  assert.match((await runInside(['help', 'confg'])).note, /Did you mean loom config\?/);
  assert.match((await runInside(['help', 'version', 'x'])).note, /loom version has no command "x"/);
});

test('[LM3] every help fits 80 columns, gives the usage, and names only commands that can be loaded', async () => {
  for (const words of allCommands(ROOT, [])) {
    const { out } = await runInside(['help', ...words]);
    for (const line of out.split('\n')) assert.ok(line.length <= 80, `${words.join(' ')}: ${line}`);
    assert.match(out, new RegExp(`Usage: loom${words.map((word) => ` ${word}`).join('')}`));
    assert.ok(out.endsWith('\n') && !out.endsWith('\n\n'));
  }
  const leaves = allLeaves(ROOT);
  assert.ok(leaves.length > 5);
  for (const leaf of leaves) assert.equal(typeof (await leaf.load()), 'function', leaf.name);
});

test('[LM24] the help of loom lists every command once, in sections', async () => {
  assert.ok(isGroup(ROOT));
  const { sections = [], subcommands } = ROOT;
  assert.deepEqual(
    sections.map(({ title }) => title),
    ['Talk', 'Act', 'Look', 'Change', 'Exchange', 'Data', 'Serve', 'Settings'],
  );
  assert.deepEqual(sections.flatMap(({ names }) => names).toSorted(), subcommands.map(({ name }) => name).toSorted());
  const { out } = await runInside(['--help']);
  for (const { name, summary } of subcommands) assert.match(out, new RegExp(`\n  ${name} +${summary}\n`, 'u'));
  const [, most = ''] = /Most used: ([^.]*)\./u.exec(out) ?? [];
  assert.equal(most.split(', ').filter((name) => subcommands.some((command) => command.name === name)).length, 10);
});

test('[LM3] the examples in help are command lines that Loom understands', async (context) => {
  const lines = allAbouts(ROOT).flatMap(({ examples = [] }) => examples.map(({ line }) => line));
  assert.ok(lines.length > 8);
  for (const line of lines) {
    const words = [...line.replace(/ < .*$/, '').matchAll(/"([^"]*)"(?![^']*'$)|'([^']*)'|(\S+)/g)].map(
      ([, double, single, bare]) => double ?? single ?? bare ?? '',
    );
    const dataDir = temporaryDirectory(context);
    // It answers in a few words.
    writeFileSync(join(dataDir, 'config.toml'), '[defaults]\nmodel = "demo:terse"\n');
    const { code, note } = await runInside(['--data-dir', dataDir, ...words.slice(1)], {
      input: 'some-key',
      ...(words[1] === 'serve' || words[1] === 'mcp' ? { interrupts: new StoppedAtOnce() } : {}),
    });
    // The things an example names need not exist; but the line is understood.
    const isMissing = code === 1 && /is not set|there is no|no conversation/.test(note);
    assert.ok(code === 0 || isMissing, `${line}: ${note}`);
  }
});

test('[LM5] words that people use elsewhere are answered with the name of the command', async () => {
  for (const [line, meant] of [
    ['list', 'loom ls'],
    ['bookmark ls', 'loom bookmark list'],
    ['bookmark rm', 'loom bookmark remove'],
    ['remove', 'loom rm'],
    ['config rm', 'loom config unset'],
    ['grep', 'loom search'],
    ['set', 'loom config set'],
  ] as const) {
    const { code, note } = await runInside(line.split(' '));
    assert.deepEqual([code, note.split('\n')[1]], [2, `Did you mean ${meant}?`], line);
  }
});

test('[LM3] the help of config names every setting that is not kept by Loom itself', async () => {
  const { out } = await runInside(['config', '--help']);
  for (const { path, isKept } of SETTINGS) {
    assert.equal(out.includes(`  ${path.join('.').replaceAll('*', '<name>')} `), isKept !== true, path.join('.'));
  }
});

test('[LM10] help and version exist as JSON, too', async () => {
  const help: unknown = JSON.parse((await runInside(['config', '--help', '--json'])).out);
  assert.ok(typeof help === 'object' && help !== null && 'ok' in help && 'commands' in help);
  assert.equal(help.ok, true);
  assert.match((await runInside(['--version', '--json'])).out, /^\{"ok":true,"version":"\d+\.\d+\.\d+","node":"\d+/);
});

test('[LM17] version, --version and -V print the version of the package', async () => {
  const expected = await runInside(['--version']);
  assert.match(expected.out, /^loom \d+\.\d+\.\d+\n$/);
  assert.deepEqual(await runInside(['version']), expected);
  assert.deepEqual(await runInside(['config', '-V']), expected);
});

function allAbouts(command: Command): Command[] {
  return [command, ...(isGroup(command) ? command.subcommands.flatMap(allAbouts) : [])];
}

function allLeaves(command: Command): CommandLeaf[] {
  return allAbouts(command).flatMap((one) => (isGroup(one) ? [] : [one]));
}

/** Ctrl-C as soon as a command listens for it: what serves goes on until then. */
class StoppedAtOnce extends Set<() => void> {
  override add(listener: () => void): this {
    setImmediate(listener);
    return super.add(listener);
  }
}
