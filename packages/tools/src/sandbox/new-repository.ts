import { lstatSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Takes out of a repository that a command has just made what git would run for the person later, outside of the sandbox: a prompt of a shell
 * that shows the branch is enough. Its hooks go, and of its settings only those stay that name no program. Returns what was removed.
 */
export function tameRepository(repository: string): string[] {
  const kind = lstatSync(repository, { throwIfNoEntry: false });
  if (kind === undefined) return [];
  // A file or a link leads to a repository elsewhere, whose settings are as free.
  if (!kind.isDirectory()) return remove(repository);
  return [...tameHooks(join(repository, 'hooks')), ...tameSettings(join(repository, 'config'))];
}

/** The examples that git puts there are never run. */
function tameHooks(folder: string): string[] {
  const kind = lstatSync(folder, { throwIfNoEntry: false });
  if (kind === undefined) return [];
  if (!kind.isDirectory()) return remove(folder);
  return readdirSync(folder)
    .filter((name) => !name.endsWith('.sample'))
    .flatMap((name) => remove(join(folder, name)));
}

function tameSettings(file: string): string[] {
  const kind = lstatSync(file, { throwIfNoEntry: false });
  if (kind === undefined) return [];
  if (!kind.isFile()) return remove(file);
  const { text, dropped } = harmlessSettings(readFileSync(file, 'utf8'));
  if (dropped.length === 0) return [];
  // Not written over: the file may have other names.
  rmSync(file);
  writeFileSync(file, text, { flag: 'wx' });
  return dropped.map((line) => `${file}: ${line}`);
}

function remove(path: string): string[] {
  rmSync(path, { recursive: true, force: true });
  return [path];
}

/** Settings that name no program and no other file with settings, by the first part of their names. */
const harmless: ReadonlyMap<string, string> = new Map(
  Object.entries({
    core: 'repositoryformatversion filemode bare logallrefupdates ignorecase precomposeunicode symlinks autocrlf eol quotepath',
    extensions: 'objectformat refstorage',
    user: 'name email',
    init: 'defaultbranch',
    branch: 'remote merge rebase description loombase',
    remote: 'url pushurl fetch',
    pull: 'rebase ff',
    push: 'default autosetupremote',
    submodule: 'url active',
  }),
);

/**
 * Returns settings without the lines that could do harm, or that git may read otherwise than they look: values that go on in the next line, and
 * keys behind the name of a section. What stays means the same to git.
 */
export function harmlessSettings(text: string): { text: string; dropped: string[] } {
  const kept: string[] = [];
  const dropped: string[] = [];
  let section = '';
  for (const line of text.split('\n')) {
    const header = /^\s*\[([A-Za-z]+)(?: "[^"\\]*")?\]\s*$/u.exec(line);
    const key = /^\s*([A-Za-z][A-Za-z0-9-]*) = (?:[^\\\0\r]*)$/u.exec(line)?.[1]?.toLowerCase();
    const isHarmless = key !== undefined && harmless.get(section)?.split(' ').includes(key) === true;
    if (header !== null) section = (header[1] ?? '').toLowerCase();
    if (header !== null || isHarmless || line.trim() === '') kept.push(line);
    else dropped.push(line.trim());
  }
  return { text: kept.join('\n'), dropped };
}
