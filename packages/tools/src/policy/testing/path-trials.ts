import { linkSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PermissionRule, Tool, ToolContext } from '@loom/kernel';
import type { Random } from '@loom/kernel/testing';
import { contextWith, runTool } from '@loom/providers/testing';
import { fileTools } from '../../files/file-tools.ts';
import { decideFile } from '../file-permissions.ts';
import type { FileRequest } from '../file-permissions.ts';
import type { Trials } from './line-trials.ts';

/** Decides about a file; `spelled` is the path as the call has it. */
export type DecidePath = (
  rules: readonly PermissionRule[],
  request: FileRequest,
  spelled: string,
) => ReturnType<typeof decideFile>;

export const decidePath: DecidePath = (rules, request) =>
  decideFile({ list: async () => rules.map((rule, index) => ({ id: `${index}`, rule })) }, request);

const files = ['a', 'sub/a', 'sub/deep/b', 'other/a', 'other/.env'];
const names = [
  'a',
  'b',
  'sub',
  'deep',
  'other',
  '.',
  '..',
  '',
  'A',
  'Sub',
  'to-file',
  'to-folder',
  'out',
  'out-file',
  'root',
  'hard',
  'new',
  '.env',
];
const throughLinks = [
  'to-file',
  'sub/to-folder/a',
  'sub/to-folder/.env',
  'out/a',
  'out/new',
  'sub/out-file',
  'root/a',
  'hard',
];
const patterns = [
  'a',
  'sub/*',
  'sub/**',
  '**',
  '*',
  'other/a',
  '*/a',
  'sub/deep/*',
  '**/b',
  'new*',
  'hard',
  '.env',
  '*/.env',
];

/** A folder with files and links, and one beside it that no call may touch. */
function plant(top: string): void {
  for (const folder of ['inside', 'outside']) {
    rmSync(join(top, folder), { recursive: true, force: true });
    mkdirSync(join(top, folder, 'sub/deep'), { recursive: true });
    mkdirSync(join(top, folder, 'other'));
    for (const file of files) writeFileSync(join(top, folder, file), `${folder} ${file}\n`);
  }
  const at = (name: string): string => join(top, 'inside', name);
  symlinkSync('sub/a', at('to-file'));
  symlinkSync('../other', at('sub/to-folder'));
  symlinkSync('../outside', at('out'));
  symlinkSync(join(top, 'outside/a'), at('sub/out-file'));
  symlinkSync('/proc/self/root', at('root'));
  linkSync(join(top, 'outside/sub/a'), at('hard'));
}

function treeOf(folder: string, below = ''): Map<string, string> {
  const found = new Map<string, string>();
  for (const name of readdirSync(join(folder, below))) {
    const path = below === '' ? name : `${below}/${name}`;
    const place = join(folder, path);
    const facts = lstatSync(place);
    if (facts.isDirectory()) for (const [each, text] of treeOf(folder, path)) found.set(each, text);
    else if (facts.isFile()) found.set(path, readFileSync(place, 'utf8'));
    else found.set(path, 'a link');
  }
  return found;
}

/**
 * Has a model write to random spellings of paths under random rules, as if no person were there: what asks or is denied is not run. The judge
 * is the disk: a file that changed must be covered by a rule, and nothing outside of the folder may change.
 */
export async function tryPaths(random: Random, count: number, top: string, decide: DecidePath): Promise<Trials> {
  const trials: Trials = { ran: 0, wrong: [] };
  plant(top);
  const before = [treeOf(join(top, 'inside')), treeOf(join(top, 'outside'))] as const;
  for (let tried = 0; tried < count; tried += 1) {
    const rules = Array.from({ length: 1 + random.below(3) }, (): PermissionRule => {
      const effect = random.pick(['allow', 'allow', 'allow', 'ask', 'deny'] as const) ?? 'allow';
      return {
        tool: random.pick(['write', 'write', 'edit', '*']) ?? 'write',
        path: random.pick(patterns) ?? '**',
        effect,
      };
    });
    const spelled = spell(random, top);
    await writeUnasked(spelled, rules, join(top, 'inside'), decide);
    const changed = changesOf(before[0], treeOf(join(top, 'inside')));
    const escaped = changesOf(before[1], treeOf(join(top, 'outside')));
    if (changed.length + escaped.length === 0) continue;
    trials.ran += 1;
    for (const path of [
      ...escaped.map((each) => `../outside/${each}`),
      ...changed.filter((each) => !mayWrite(each, rules)),
    ]) {
      trials.wrong.push(`${spelled} changed ${path} by ${JSON.stringify(rules)}`);
    }
    plant(top);
  }
  return trials;
}

function spell(random: Random, top: string): string {
  const parts = Array.from({ length: 1 + random.below(4) }, () => random.pick(names) ?? 'a');
  const path = random.chance(0.3)
    ? (random.pick(files) ?? 'a')
    : random.chance(0.3)
      ? (random.pick(throughLinks) ?? 'a')
      : parts.join('/');
  const start = random.pick(['', '', '', './', join(top, 'inside/'), '/proc/self/root', join(top, 'outside/')]) ?? '';
  return `${start}${path}` || '.';
}

async function writeUnasked(
  path: string,
  rules: readonly PermissionRule[],
  directory: string,
  decide: DecidePath,
): Promise<void> {
  const clock = { now: () => 0, after: () => () => {} };
  const tools = fileTools({ clock, decide: (request) => decide(rules, request, path) });
  const context: ToolContext = { ...contextWith(new AbortController().signal), directory, approvalMode: 'ask' };
  await callUnasked(tools, 'read', { path }, context);
  await callUnasked(tools, 'write', { path, content: 'written by the model\n' }, { ...context, node: 'root-1/node-2' });
}

async function callUnasked(
  tools: readonly Tool[],
  name: string,
  parameters: Record<string, string>,
  context: ToolContext,
): Promise<void> {
  const tool = tools.find((one) => one.name === name);
  if (tool === undefined) throw new Error(`no tool ${name}`);
  const invocation = { id: name, name, parameters, arguments: JSON.stringify(parameters) };
  const { permission } = await tool.prepare(invocation, context);
  if (permission === 'run') await runTool(tool, invocation, context);
}

function changesOf(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths].filter((path) => before.get(path) !== after.get(path));
}

function mayWrite(path: string, rules: readonly PermissionRule[]): boolean {
  const about = rules.filter(({ tool, path: pattern = '**' }) => tool !== 'edit' && matches(pattern, path));
  return about.every(({ effect }) => effect !== 'deny') && about[0]?.effect === 'allow';
}

/** Compares a pattern with a path letter by letter: one star stays within a name, two do not. */
function matches(pattern: string, path: string): boolean {
  if (pattern === '') return path === '';
  if (pattern.startsWith('**'))
    return matches(pattern.slice(2), path) || (path !== '' && matches(pattern, path.slice(1)));
  if (pattern.startsWith('*')) {
    return matches(pattern.slice(1), path) || (path !== '' && !path.startsWith('/') && matches(pattern, path.slice(1)));
  }
  return path.startsWith(pattern.slice(0, 1)) && matches(pattern.slice(1), path.slice(1));
}
