import type { ToolContext } from '@loom/kernel';
import type { ConfinedFolder } from '../../folder/confined-folder.ts';
import { runProgram } from '../../folder/run-program.ts';
import { asciiPattern } from './ascii-pattern.ts';

/**
 * Returns the paths of the files in which ripgrep finds the pattern, or `undefined` if it cannot be asked. Its list may be too long, never too
 * short: the files in it are searched again, so that the answer is the same with and without ripgrep.
 */
export async function listCandidates(
  folder: ConfinedFolder,
  below: string,
  { pattern, ignore_case: ignoreCase = false }: { pattern: string; ignore_case?: boolean },
  { processes, signal }: Pick<ToolContext, 'processes' | 'signal'>,
): Promise<string[] | undefined> {
  const translated = asciiPattern(pattern);
  if (processes === undefined || translated === undefined) return undefined;
  const flags = [
    '--no-config',
    '--files-with-matches',
    '--null',
    '--hidden',
    '--no-messages',
    '--no-require-git',
    '--no-ignore-global',
    '--no-ignore-exclude',
    '--no-ignore-dot',
    '--encoding=none',
    '--max-filesize=20M',
    // The repository's own folder; whatever else .gitignore does not name is searched.
    '--glob=!.git',
    ...(ignoreCase ? ['--ignore-case'] : ['--case-sensitive']),
  ];
  const target = below === '' ? '.' : `./${below}`;
  const command = ['rg', ...flags, '--regexp', translated, '--', target];
  const result = await runProgram(command, folder.path, { processes, signal });
  // 1: nothing was found. 2: some files could not be read, or the pattern is not one of its own.
  if (result === undefined || result.isCut || (result.code !== 0 && result.code !== 1)) return undefined;
  const paths = result.output.toString('utf8').split('\0').filter(Boolean);
  return paths.map((path) => (path.startsWith('./') ? path.slice(2) : path));
}
