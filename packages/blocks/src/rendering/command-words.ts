import type { PathBase } from './path-words.ts';
import { pathWords } from './path-words.ts';

/**
 * Returns a command for a line that tells what it does: without the `cd` into the folder of the conversation that agents put in front of
 * most commands, and with another folder told from there. What a person decides about is always the command itself.
 */
export function commandWords(command: string, base: PathBase): string {
  const [start = '', double, single, plain, joint = ''] = leadingFolder.exec(command) ?? [];
  const folder = double ?? single ?? plain;
  const rest = command.slice(start.length);
  if (folder === undefined || rest.trim() === '') return command;
  if (isSameFolder(folder, base.folder)) return rest;
  const words = pathWords(folder, base);
  return words === folder ? command : `cd ${/\s/u.test(words) ? `"${words}"` : words}${joint} ${rest}`;
}

/** A `cd` in front of a command, with a folder that the shell takes as it is written. */
const leadingFolder = /^\s*cd\s+(?:"([^"$`\\]+)"|'([^']+)'|([^\s;&|"'$`\\<>(){}*?~]+))(\s*&&|;)\s*/u;

function isSameFolder(one: string, other: string | undefined): boolean {
  const plain = (folder: string): string => folder.replace(/[/\\]+$/u, '');
  return other !== undefined && plain(one) === plain(other);
}
