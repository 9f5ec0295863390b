import type { Finding, SetAside } from '@loom/data-folder/upkeep';
import { stateOf } from '@loom/data-folder/upkeep';
import { StoreError } from '@loom/kernel/store';
import { z } from 'zod';
import { count } from '../terminal/progress.ts';
import { describeFilesReport } from '../runtime/files-note.ts';

/** A finding of `loom doctor` as a line for people, and as its JSON. */
export interface WordedFinding {
  what: string;
  where: string;
  message: string;
  state: ReturnType<typeof stateOf>;
}

/** Words a finding. `unlistedAdvice`: the store's advice on a log that is not listed. */
export function wordFinding(
  finding: Finding,
  { dataDir, unlistedAdvice }: { dataDir: string; unlistedAdvice: string },
): WordedFinding {
  const [what, where, message] = words(finding, dataDir, unlistedAdvice);
  return { what, where, message, state: stateOf(finding) };
}

function words(finding: Finding, dataDir: string, unlistedAdvice: string): [string, string, string] {
  switch (finding.type) {
    case 'store': {
      const { problem, nodes } = finding;
      const rest = nodes === undefined ? '' : ` It has ${count(nodes, 'message')} now.`;
      return [problem.what, problem.where, `${problem.message}${rest}`];
    }
    case 'set-aside':
      return ['log', finding.log, describeAside(finding)];
    case 'missing-log':
      return ['log', finding.root, 'it is listed, but has no log'];
    case 'unreadable-log':
      return ['log', finding.root, describeError(finding.error, 'its changes do not fit together: ')];
    case 'unlisted-log': {
      const about = `it has ${count(finding.nodes, 'message')}, but the list of conversations does not name it, so nothing shows it.`;
      return [
        'unlisted-log',
        finding.root,
        `${about} If an import was cut short, do it again. ${unlistedAdvice}`.trimEnd(),
      ];
    }
    case 'wrong-snapshot':
      return [
        'snapshot',
        finding.root,
        'its snapshot did not say what its log says; it was thrown away and is made again',
      ];
    case 'wrong-head':
      return [
        'head',
        finding.root,
        'its head, which lists are made of, did not say what its log says; it was made again',
      ];
    case 'blob':
      return ['blob', finding.blob, 'error' in finding ? describeError(finding.error) : 'it is missing'];
    case 'file':
      return ['file', dataDir, describeFilesReport(finding.report).trim()];
    case 'older-data':
      return ['older-data', finding.problem.file, finding.problem.message];
    case 'quarantined':
      return ['quarantine', finding.file.kept, `${finding.file.file}: ${finding.file.message}`];
  }
}

function describeError(error: unknown, otherwise = ''): string {
  if (error instanceof StoreError) return `${error.message}. ${error.advice}`;
  return `${otherwise}${error instanceof Error ? error.message : String(error)}`;
}

/** Describes changes that are kept out of a log. */
export function describeKept(log: string, changes: readonly unknown[]): string {
  return `${whatIsBad(changes)} of the log of ${log} could not be read and ${wasOrWere(changes)} set aside`;
}

/** Names the unreadable part; if every change can be read, it is something around them. */
function whatIsBad({ length }: readonly unknown[]): string {
  return length === 0 ? 'something beside the changes' : count(length, 'change');
}

function wasOrWere({ length }: readonly unknown[]): string {
  return length < 2 ? 'was' : 'were';
}

/** The number of changes described. */
const most = 3;

function describeAside({ changes, orphans, kept }: SetAside): string {
  const told = changes.slice(0, most).map(({ seq, problem, value }) => `change ${seq}${whatItWas(value)}: ${problem}`);
  const rest = changes.length - told.length;
  const all = rest === 0 ? told : [...told, `and ${rest} more`];
  return `${whatIsBad(changes)} could not be read and ${wasOrWere(changes)} set aside, kept in ${kept}; the rest is as it was${describeOrphans(orphans)}. ${all.join('; ')}`.trim();
}

function describeOrphans(orphans: readonly string[]): string {
  if (orphans.length === 0) return '';
  const named = orphans.slice(0, most).join(', ');
  const rest = orphans.length > most ? ` and ${orphans.length - most} more` : '';
  return `, except that ${named}${rest}, which answered what was set aside, now ${orphans.length === 1 ? 'begins a branch' : 'begin branches'} of the conversation`;
}

const shape = z.looseObject({
  time: z.number().optional(),
  agent: z.string().optional(),
  ops: z.array(z.looseObject({ type: z.string() })),
});

function whatItWas(value: unknown): string {
  const parsed = shape.safeParse(value);
  if (!parsed.success) return '';
  const { agent = 'an unknown agent', time, ops } = parsed.data;
  const when = time === undefined ? '' : ` of ${new Date(time).toISOString()}`;
  return ` (${ops.map(({ type }) => type).join(', ')} by ${agent}${when})`;
}
