import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { temporaryDirectory } from '@loom/kernel/testing';
import type { ResultOf } from '@loom/kernel';
import { ForestFolder } from '../../../testing/forest-folder.ts';
import { withReader } from '../../opened-folder.ts';

/** A session of Claude Code in the making: it writes files and its transcript as the program does. */
export class MadeSession {
  readonly directory: string;
  readonly #id: string;
  readonly #lines: string[] = [];
  #parent: string | null = null;
  #time: number;

  constructor(
    directory: string,
    { id = 'session-1', time = Date.UTC(2026, 0, 5) }: { id?: string; time?: number } = {},
  ) {
    this.directory = directory;
    this.#id = id;
    this.#time = time;
  }

  ask(text: string): void {
    this.#add('user', { role: 'user', content: text });
  }

  /** Writes a new file. */
  create(path: string, content: string): void {
    const filePath = join(this.directory, path);
    mkdirSync(dirname(filePath), { recursive: true });
    writeFileSync(filePath, content);
    const result = { type: 'create', filePath, content, structuredPatch: [], originalFile: null };
    this.#call('Write', { file_path: filePath, content }, result);
  }

  /** Replaces a passage, and reports only what a sub-agent does: no lines, no places. */
  editBarely(path: string, oldString: string, newString: string): void {
    const filePath = join(this.directory, path);
    const original = readFileSync(filePath, 'utf8');
    writeFileSync(filePath, original.replace(oldString, newString));
    this.#call('Edit', { file_path: filePath, old_string: oldString, new_string: newString }, undefined);
  }

  /** Replaces a line, and reports the change with its place. */
  edit(path: string, oldString: string, newString: string): void {
    const filePath = join(this.directory, path);
    const originalFile = readFileSync(filePath, 'utf8');
    const updated = originalFile.replace(oldString, newString);
    writeFileSync(filePath, updated);
    const [before, after] = [oldString.split('\n'), newString.split('\n')];
    const start = originalFile.slice(0, originalFile.indexOf(oldString)).split('\n').length;
    const lines = [...before.map((line) => `-${line}`), ...after.map((line) => `+${line}`)];
    const hunk = { oldStart: start, oldLines: before.length, newStart: start, newLines: after.length, lines };
    const result = { filePath, oldString, newString, originalFile, structuredPatch: [hunk], userModified: false };
    this.#call('Edit', { file_path: filePath, old_string: oldString, new_string: newString }, result);
  }

  run(command: string, stdout = ''): void {
    this.#call('Bash', { command }, { stdout, stderr: '', interrupted: false, isImage: false });
  }

  /** The transcript so far. */
  get text(): string {
    return `${this.#lines.join('\n')}\n`;
  }

  #call(name: string, input: unknown, toolUseResult: unknown): void {
    const id = `toolu_${this.#id}_${this.#lines.length}`;
    const message = {
      role: 'assistant',
      id: `msg_${id}`,
      model: 'claude-x',
      content: [{ type: 'tool_use', id, name, input }],
    };
    this.#add('assistant', message);
    const content = [{ type: 'tool_result', tool_use_id: id, content: 'Done.' }];
    this.#add('user', { role: 'user', content }, toolUseResult === undefined ? {} : { toolUseResult });
  }

  #add(type: 'user' | 'assistant', message: unknown, more: object = {}): void {
    const uuid = `${this.#id}-${this.#lines.length}`;
    const timestamp = new Date((this.#time += 1000)).toISOString();
    const about = { sessionId: this.#id, cwd: this.directory, version: '2.1.325', timestamp, isSidechain: false };
    this.#lines.push(JSON.stringify({ type, uuid, parentUuid: this.#parent, ...about, message, ...more }));
    this.#parent = uuid;
  }
}

/** Runs git as a person whose clock stands at a time. */
export function git(directory: string, args: readonly string[], time = Date.UTC(2026, 0, 6)): string {
  const date = `${time / 1000} +0000`;
  const person = { GIT_AUTHOR_NAME: 'Jo', GIT_AUTHOR_EMAIL: 'jo@example.org', GIT_AUTHOR_DATE: date };
  const committer = { GIT_COMMITTER_NAME: 'Jo', GIT_COMMITTER_EMAIL: 'jo@example.org', GIT_COMMITTER_DATE: date };
  return execFileSync('git', ['-C', directory, ...args], {
    encoding: 'utf8',
    env: { ...process.env, ...person, ...committer },
  });
}

export function commitAll(directory: string, time?: number): void {
  git(directory, ['add', '--all']);
  git(directory, ['commit', '--quiet', '--message', 'Work'], time);
}

/** Imports sessions into a new folder of data. */
export async function importSessions(t: TestContext, sessions: readonly MadeSession[]): Promise<ForestFolder> {
  const folder = new ForestFolder(t);
  const place = temporaryDirectory(t);
  for (const [index, { text }] of sessions.entries()) writeFileSync(join(place, `session-${index}.jsonl`), text);
  await folder.succeed(['import', place]);
  return folder;
}

type Blame = ResultOf<'file.blame'>;

/** Returns what is known of a file, and its lines that a turn wrote. */
export function blame(
  { dataDir }: ForestFolder,
  params: { path: string; root?: string; line?: number; end_line?: number },
): Promise<Blame & { known: string[] }> {
  return withReader({ dataDir }, async (loom) => {
    const outcome = await loom.call('file.blame', params);
    if (!outcome.ok) throw new Error(JSON.stringify(outcome.refusal));
    const { ranges, text } = outcome.value;
    const first = params.line ?? 1;
    const written = ranges.filter(({ turn }) => turn !== undefined);
    return { ...outcome.value, known: written.flatMap(({ start, end }) => text.slice(start - first, end - first + 1)) };
  });
}
