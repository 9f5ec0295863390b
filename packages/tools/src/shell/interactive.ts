import { readSimpleCommand } from '../command-line/simple-command.ts';

/** Advice for programs that would wait for a person at a terminal, by the program. */
const advices: readonly { programs: string; advice: string; isFine?: (words: readonly string[]) => boolean }[] = [
  {
    programs: 'vi vim nvim nano pico emacs joe micro visudo',
    advice: 'There is no terminal for an editor. Change files with the tools edit and write, or with sed.',
    isFine: (words) => words.includes('--batch') || words.includes('-es'),
  },
  { programs: 'less more most', advice: 'There is no terminal for a pager. Use cat, head, tail or sed -n.' },
  {
    programs: 'top htop btop atop watch',
    advice: 'There is no terminal to draw on. Use ps, or top -b -n 1.',
    isFine: (words) => words.includes('-b') || words.some((word) => word.startsWith('-bn')),
  },
  {
    programs: 'ssh telnet sftp ftp mosh',
    advice: 'There is no terminal for a session. Give ssh the command to run: ssh host command.',
    isFine: (words) => words[0] === 'ssh' && words.filter((word) => !word.startsWith('-')).length > 2,
  },
  {
    programs: 'sudo su passwd',
    advice: 'No one can type a password. Run it without more rights, or ask the person to do it.',
    isFine: (words) => words[0] === 'sudo' && words.includes('-n'),
  },
  {
    programs: 'python python3 node irb ghci lua php ipython bpython',
    advice: 'There is no terminal for a dialog, and the input is at its end. Give it a file, or code with -c or -e.',
    isFine: (words) => words.length > 1 && !words.includes('-i'),
  },
  {
    programs: 'git',
    advice: 'There is no terminal to choose with. Name the files, commits and messages in the command.',
    isFine: (words) => !isDialogOfGit(words),
  },
  {
    programs: 'crontab',
    advice: 'There is no terminal for an editor. Give crontab a file.',
    isFine: (words) => !words.includes('-e'),
  },
  { programs: 'tmux screen', advice: 'There is no terminal. Use background: true for a command that should go on.' },
];

/** Returns advice about a command that would wait for a person at a terminal. Looks at the parts of joined commands too, as far as it can. */
export function interactiveAdvice(line: string): string | undefined {
  const read = readSimpleCommand(line.trim());
  const commands = read.ok ? [read.words] : line.split(/[;&|\n()]+/u).map((part) => part.trim().split(/\s+/u));
  for (const words of commands) {
    const [program = '', ...rest] = words;
    const name = program.split('/').at(-1) ?? '';
    const known = advices.find(({ programs }) => programs.split(' ').includes(name));
    if (known === undefined || known.isFine?.([name, ...rest]) === true) continue;
    // Behind a pipe an interpreter reads its program from its input.
    if (!read.ok && rest.length === 0 && /python|node|php|lua/u.test(name)) continue;
    return `${name} would wait for a person. ${known.advice}`;
  }
  return undefined;
}

function isDialogOfGit(words: readonly string[]): boolean {
  const [, verb = ''] = words;
  const has = (...options: readonly string[]): boolean => options.some((option) => words.includes(option));
  if (verb === 'rebase') return has('-i', '--interactive');
  return (
    ['add', 'checkout', 'restore', 'reset', 'stash', 'commit'].includes(verb) &&
    has('-p', '--patch', '-i', '--interactive')
  );
}
