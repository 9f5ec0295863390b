import type { ListedPrompt } from './prompt-answers.ts';

/** The origin of a prompt, in a word or two. */
export const sourceNames: Readonly<Record<ListedPrompt['source'], string>> = {
  own: 'yours',
  project: 'project',
  folder: 'folder of the project',
  claude: 'Claude Code',
  codex: 'Codex',
};

/** Returns true for prompts that can be changed here; the others are files of other programs. */
export function isChangeable({ source }: Pick<ListedPrompt, 'source'>): boolean {
  return source === 'own';
}

const reasons: Readonly<Record<string, string>> = {
  link: 'it is a link',
  'too-large': 'it is too large',
  'not-text': 'it is not text',
  empty: 'it is empty',
  'bad-name': 'its name cannot stand behind a slash',
  'too-many': 'the folder has too many files',
  unreadable: 'it cannot be read',
};

/** Says why a file of prompts was left out. */
export function skippedWords({ path, reason }: { path: string; reason: string }): string {
  return `${path}: ${reasons[reason] ?? reason}`;
}

/** Returns the reason why a name cannot stand behind a slash, if it cannot. */
export function nameProblem(name: string): string | undefined {
  if (name === '') return undefined;
  return name.length <= 80 && /^[\p{L}\p{N}][\p{L}\p{N}._:-]*$/u.test(name)
    ? undefined
    : 'Letters, digits, dots, colons, dashes and underscores, beginning with a letter or digit.';
}
