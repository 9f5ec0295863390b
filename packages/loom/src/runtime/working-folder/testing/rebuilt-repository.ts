import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join, relative } from 'node:path';
import { z } from 'zod';

/** The result of a tool of Claude Code that changed a file, as its transcript keeps it. */
const toolResult = z.looseObject({
  filePath: z.string(),
  originalFile: z.string().nullish(),
  oldString: z.string().optional(),
  newString: z.string().optional(),
  replaceAll: z.boolean().optional(),
  content: z.string().optional(),
});

const entry = z.looseObject({ cwd: z.string().optional(), timestamp: z.string(), toolUseResult: toolResult });

/**
 * Makes the repository of a session again from what its transcript keeps: each change of a file is a commit of `session`, and what was there
 * before, or came in between without being told, is a commit of `other`. Git then says whose each line is.
 */
export class RebuiltRepository {
  readonly directory: string;
  /** The transcript, as if the session had worked in this folder. */
  readonly transcript: string;
  readonly files = new Set<string>();
  /** The lines that some version of some file held more than once: which of them an edit removed can be read in more than one way. */
  readonly repeated = new Set<string>();
  #time = 0;

  constructor(directory: string, transcript: string) {
    this.directory = directory;
    const lines = readFileSync(transcript, 'utf8').split('\n');
    const entries = lines.flatMap((line) => entry.safeParse(readLine(line)).data ?? []);
    const home = entries[0]?.cwd ?? '/';
    const rename = (text: string): string =>
      text.replaceAll(JSON.stringify(home).slice(1, -1), JSON.stringify(directory).slice(1, -1));
    this.transcript = lines.map(rename).join('\n');
    mkdirSync(directory, { recursive: true });
    this.git(['init', '--quiet']);
    for (const { timestamp, toolUseResult } of entries) {
      const below = relative(home, toolUseResult.filePath);
      if (below.startsWith('..') || isAbsolute(below)) continue;
      this.#replay(below, toolUseResult, Date.parse(timestamp));
    }
  }

  /** Writes a file as somebody else, and commits it. */
  writeAsOther(path: string, text: string): void {
    this.#write(path, text, 'other', this.#time + 86_400_000);
  }

  /** Gives a file another name as somebody else, and commits that. */
  move(path: string, to: string): void {
    mkdirSync(dirname(join(this.directory, to)), { recursive: true });
    this.git(['mv', '--', path, to]);
    this.git(['commit', '--quiet', '--message', `move ${path}`], 'other', this.#time + 1000);
  }

  /** Returns the author of each line of a file, as git tells it. */
  authors(path: string): string[] {
    const printed = this.git(['blame', '--line-porcelain', '--', path]);
    return printed.split('\n').flatMap((line) => (line.startsWith('author ') ? [line.slice(7)] : []));
  }

  git(args: readonly string[], author = 'other', time = this.#time): string {
    const date = `${Math.trunc(time / 1000)} +0000`;
    const about = ['NAME', 'EMAIL', 'DATE'].map((name) => (name === 'DATE' ? date : author));
    const env = Object.fromEntries(
      ['AUTHOR', 'COMMITTER'].flatMap((who) =>
        ['NAME', 'EMAIL', 'DATE'].map((name, index) => [`GIT_${who}_${name}`, about[index]]),
      ),
    );
    const options = { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024, env: { ...process.env, ...env } } as const;
    return execFileSync('git', ['-C', this.directory, ...args], options);
  }

  #replay(path: string, result: z.infer<typeof toolResult>, time: number): void {
    const { originalFile, oldString, newString, replaceAll = false, content } = result;
    const place = join(this.directory, path);
    const known = existsSync(place) ? readFileSync(place, 'utf8') : undefined;
    const before = originalFile ?? (content === undefined ? known : undefined);
    if (before !== undefined && before !== known) this.#write(path, before, 'other', time - 1000);
    const after = content ?? replaced(before, { oldString, newString, replaceAll });
    if (after === undefined) return;
    this.#write(path, after, 'session', time);
    this.files.add(path);
  }

  #write(path: string, text: string, author: string, time: number): void {
    const place = join(this.directory, path);
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place, text);
    const seen = new Set<string>();
    for (const line of text.split('\n')) {
      if (seen.has(line)) this.repeated.add(line);
      seen.add(line);
    }
    this.#time = Math.max(this.#time, time);
    this.git(['add', '--force', '--', path]);
    this.git(['commit', '--quiet', '--allow-empty', '--message', path], author, this.#time);
  }
}

function replaced(
  text: string | undefined,
  {
    oldString,
    newString,
    replaceAll,
  }: { oldString: string | undefined; newString: string | undefined; replaceAll: boolean },
): string | undefined {
  if (text === undefined || oldString === undefined || newString === undefined) return undefined;
  if (oldString === '') return newString;
  const parts = text.split(oldString);
  if (parts.length === 1) return undefined;
  return replaceAll ? parts.join(newString) : [parts[0], parts.slice(1).join(oldString)].join(newString);
}

function readLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
