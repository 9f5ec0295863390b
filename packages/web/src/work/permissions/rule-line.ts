import type { Rule } from './permission-answers.ts';

/** A piece of a rule's line: words of Loom, or words of the rule. */
export interface LinePiece {
  readonly text: string;
  readonly isExact: boolean;
}

const words = (text: string): LinePiece => ({ text, isExact: false });
const exact = (text: string): LinePiece => ({ text, isExact: true });

/** The subject of a rule, in a line: `Run npm test with any arguments, as one command`. */
export function ruleLine({ tool, command, path, host }: Rule): LinePiece[] {
  if (command !== undefined) return commandLine(tool, command);
  if (path !== undefined) return [words(`${verbs[tool] ?? `Use ${tool} for`} `), exact(path)];
  if (host !== undefined)
    return [words(tool === 'fetch_url' ? 'Fetch pages from ' : `Let ${tool} reach `), exact(host)];
  return [words('Use '), exact(tool), words(' with any arguments')];
}

const verbs: Readonly<Record<string, string>> = {
  read: 'Read',
  list: 'List',
  search: 'Search',
  write: 'Write',
  edit: 'Change',
  apply_patch: 'Change',
};

function commandLine(tool: string, command: string): LinePiece[] {
  const start = tool === 'shell' ? 'Run ' : `Let ${tool} run `;
  const named = command.replace(/\s*\*$/u, '');
  if (named === command) return [words(start), exact(command), words(', exactly so')];
  if (named === '') return [words(`${start}any command`)];
  return [words(start), exact(named), words(' with any arguments, as one command')];
}

/** The line as plain text, to be searched and read aloud. */
export function ruleText(rule: Rule): string {
  return ruleLine(rule)
    .map(({ text }) => text)
    .join('');
}
