import { basename, resolve } from 'node:path';
import { blockId, defineOperation, readRootSettings, refuse, refuseLimited, rootId, rootOfId } from '@loom/kernel';
import type { Caller, LoomEngine, Operation, Outcome, ProcessPort, Refused } from '@loom/kernel';
import { z } from 'zod';
import type { BlamedFile } from './blame-file.ts';
import { blamedRange, commitFields, commonTurnFields } from './blame-schemas.ts';
import type { CommitFacts } from './repository-log.ts';

const line = () => z.int().min(1);

const blameResult = () =>
  z.strictObject({
    path: z.string().describe('The path below the top of its repository, or the absolute path.'),
    directory: z.string().exactOptional().describe('The top of the repository, or of the worktree.'),
    lines: z.int().describe('The number of lines of the file.'),
    text: z.array(z.string()).describe('The lines that were asked for, without their line breaks.'),
    ranges: z.array(blamedRange).describe('All of these lines, in their order.'),
    turns: z.array(commonTurnFields).describe('The turns that wrote some of them.'),
    commits: z.array(commitFields).describe('The commits that they came with.'),
    commands: z
      .array(z.strictObject({ root: z.string(), block: blockId, command: z.string(), turn: z.int().exactOptional() }))
      .describe(
        'Commands that name the file and may have written lines whose writer is not known: what they changed was not recorded. At most 5.',
      ),
    conversations: z.int().describe('The number of conversations that are known to have changed the file.'),
    complete: z.boolean().describe('False if not everything could be looked at.'),
  });
type BlameResult = z.infer<ReturnType<typeof blameResult>>;

const commitResult = () =>
  z.strictObject({
    commit: commitFields,
    added: z.int().describe('The lines that it added to text files.'),
    known: z.int().describe('The number of them whose turn is known.'),
    files: z.array(z.strictObject({ path: z.string(), added: z.int(), known: z.int() })),
    turns: z.array(
      z.strictObject({
        ...commonTurnFields.shape,
        lines: z.int().describe('The added lines that it wrote.'),
        committed: z.literal(true).exactOptional().describe('A command in it made the commit.'),
      }),
    ),
    began: z
      .array(z.strictObject({ root: z.string(), root_title: z.string().exactOptional(), opening: z.string() }))
      .describe('Imported conversations that began when the commit was checked out.'),
    complete: z.boolean().describe('False if not everything could be looked at.'),
  });

/** Rows that tell which turns wrote the lines of files and commits. They read files of this computer, so only owners of everything may call them. */
export function blameOperations(processes: Pick<ProcessPort, 'spawn'>): Operation[] {
  return [
    defineOperation({
      name: 'file.blame',
      summary:
        'Returns which turns wrote the lines of a file on disk, as far as conversations recorded it, with the commits that they came with. A line without a turn is not known to be of one: a person, a command or another program may have written it.',
      params: () =>
        z.strictObject({
          path: z.string().min(1).max(4096).describe('The path of a file: absolute, or below the folder of root.'),
          root: rootId
            .exactOptional()
            .describe('Only changes of this conversation, also if its folder was another one. Default: all.'),
          line: line().exactOptional().describe('The first line, counted from 1. Default: 1.'),
          end_line: line().exactOptional().describe('The last line. Default: that line, or the last one of the file.'),
        }),
      result: blameResult,
      effect: 'reads',
      role: 'owner',
      run: async (engine, caller, { path, root, ...range }) => {
        const denied = refuseLimited(caller, 'file.blame');
        if (denied !== undefined) return denied;
        const { blameFile } = await import('./blame-file.ts');
        const directory = root === undefined ? undefined : await folderOf(engine, root);
        const absolute = directory === undefined ? path : resolve(directory, path);
        const scope = { processes, ...(caller.signal === undefined ? {} : { signal: caller.signal }) };
        const blamed = await blameFile(engine, caller, { path: absolute, root, scope });
        if ('problem' in blamed) return refuseParameter('path', blamed.problem);
        return describeBlame(engine, caller, blamed, range);
      },
    }),
    defineOperation({
      name: 'commit.turns',
      summary:
        'Returns which turns wrote the lines that a commit added, as far as conversations recorded it, the turns whose commands made it, and imported conversations that began at it.',
      params: () =>
        z.strictObject({
          directory: z.string().min(1).max(4096).describe('The absolute path of a folder in the repository.'),
          commit: z.string().min(1).max(200).describe('A commit, by any name that git knows, such as HEAD or 1a2b3c4.'),
        }),
      result: commitResult,
      effect: 'reads',
      role: 'owner',
      run: async (engine, caller, { directory, commit }) => {
        const denied = refuseLimited(caller, 'commit.turns');
        if (denied !== undefined) return denied;
        const { findCommitTurns } = await import('./commit-turns.ts');
        const scope = { processes, ...(caller.signal === undefined ? {} : { signal: caller.signal }) };
        const found = await findCommitTurns(engine, caller, { directory, commit, scope });
        if ('problem' in found) return refuseParameter(found.parameter, found.problem);
        const { DescribedTurns } = await import('./described-turns.ts');
        const described = new DescribedTurns(engine, caller);
        const counts = new Map<number, { lines: number; committed?: true }>();
        for (const step of found.steps) {
          const number = await described.numberOf(step);
          if (number === undefined) continue;
          const before = counts.get(number) ?? { lines: 0 };
          counts.set(number, { ...before, lines: before.lines + 1 });
        }
        for (const { block } of found.made) {
          const number = await described.numberOf({ root: rootOfId(block), block });
          if (number !== undefined) counts.set(number, { lines: 0, ...counts.get(number), committed: true });
        }
        const turns = described.turns.map((turn, number) => ({ ...turn, lines: 0, ...counts.get(number) }));
        const began = [];
        for (const root of found.began) {
          const summary = await engine.forest.summary(root);
          if (summary === undefined) continue;
          const { title, opening } = summary;
          began.push({ root, ...(title === undefined ? {} : { root_title: title }), opening });
        }
        return {
          ok: true,
          value: {
            commit: commitWords(found.commit),
            added: found.added,
            known: found.known,
            files: found.files,
            turns: turns.toSorted((one, other) => other.lines - one.lines),
            began,
            complete: found.isComplete,
          },
        };
      },
    }),
  ];
}

async function describeBlame(
  engine: LoomEngine,
  caller: Caller,
  blamed: BlamedFile,
  { line: first = 1, end_line: last }: { line?: number; end_line?: number },
): Promise<Outcome<BlameResult>> {
  const { path, top, text, steps, commits, history } = blamed;
  const end = Math.min(last ?? (first === 1 ? text.length : first), text.length);
  if (first > 1 && first > text.length)
    return refuseParameter('line', `is behind the end: the file has ${countLines(text)}`);
  if (last !== undefined && last < first) return refuseParameter('end_line', 'must not be before line');
  const { DescribedTurns } = await import('./described-turns.ts');
  const described = new DescribedTurns(engine, caller);
  const listed: CommitFacts[] = [];
  const ranges: z.infer<typeof blamedRange>[] = [];
  for (let at = first; at <= end; at += 1) {
    const step = steps[at - 1];
    const facts = commits[at - 1];
    const turn = step === undefined ? undefined : await described.numberOf(step);
    if (facts !== undefined && !listed.includes(facts)) listed.push(facts);
    const about = {
      ...(turn === undefined ? {} : { turn }),
      ...(step === undefined || turn === undefined ? {} : { block: step.block }),
      ...(facts === undefined ? {} : { commit: listed.indexOf(facts) }),
    };
    const before = ranges.at(-1);
    const isSame = before?.turn === about.turn && before?.block === about.block && before?.commit === about.commit;
    if (before !== undefined && isSame) before.end = at;
    else ranges.push({ start: at, end: at, ...about });
  }
  const isKnown = ranges.every(({ turn }) => turn !== undefined);
  const { findCommands } = await import('./commands-about.ts');
  const named = isKnown ? [] : await findCommands(engine, caller, { name: basename(path), roots: history.roots });
  const commands = [];
  for (const command of named) {
    const turn = await described.numberOf(command);
    commands.push({ ...command, ...(turn === undefined ? {} : { turn }) });
  }
  return {
    ok: true,
    value: {
      path: top === undefined ? path : path.slice(top.length + 1),
      ...(top === undefined ? {} : { directory: top }),
      lines: text.length,
      text: text.slice(first - 1, end),
      ranges,
      turns: described.turns,
      commits: listed.map(commitWords),
      commands,
      conversations: history.roots.length,
      complete: history.isComplete,
    },
  };
}

function commitWords({ sha, author, time, summary }: CommitFacts): z.infer<typeof commitFields> {
  return { sha, author, time: new Date(time).toISOString(), summary };
}

async function folderOf(engine: LoomEngine, root: string): Promise<string | undefined> {
  const { value } = await engine.forest.log(root).read((state) => readRootSettings(state.config).directory);
  return value === '' ? undefined : value;
}

function refuseParameter(parameter: string, problem: string): Refused {
  return refuse({ reason: 'invalid-params', problems: [{ path: [parameter], problem }] });
}

function countLines({ length }: readonly string[]): string {
  return length === 1 ? '1 line' : `${length} lines`;
}
