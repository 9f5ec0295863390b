/** The words of a command line, or the reason that it is more than one simple command. */
export type SimpleCommand = { ok: true; words: string[] } | { ok: false; reason: string };

/**
 * Reads a command line that is one simple command: a program and its arguments, as bash would pass them on. Everything that bash could
 * treat otherwise is refused: joined commands, redirections, substitutions, variables, patterns, assignments and quoting that is not plain.
 * A line that is refused may still be harmless; a person has to look at it.
 */
export function readSimpleCommand(line: string): SimpleCommand {
  if (deceptive.test(line)) return refuse('it contains characters that cannot be seen');
  const words: string[] = [];
  let at = 0;
  while (at < line.length) {
    if (line[at] === ' ') {
      at += 1;
      continue;
    }
    const word = readWord(line, at);
    if (!word.ok) return word;
    words.push(word.text);
    at = word.end;
  }
  return checkProgram(words, line);
}

/** Control characters, and marks that change the order of letters or take no room. Line breaks are among them. */
const deceptive = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Cn}]/u;

/** Characters that mean themselves outside of quotes, wherever they are. */
const plain = /^[A-Za-z0-9_@%+:,./-]$/u;

type Word = { ok: true; text: string; end: number } | { ok: false; reason: string };

function readWord(line: string, start: number): Word {
  let text = '';
  let at = start;
  while (at < line.length && line[at] !== ' ') {
    const character = line[at] ?? '';
    if (character === "'" || character === '"') {
      const quoted = readQuoted(line, at, character);
      if (!quoted.ok) return quoted;
      text += quoted.text;
      at = quoted.end;
    } else if (plain.test(character) || isPlainHere(line, start, at)) {
      text += character;
      at += 1;
    } else return refuse(meanings.get(character) ?? `${character} is outside of quotes`);
  }
  return { ok: true, text, end: at };
}

/** Some characters mean themselves inside of a word, but not at its beginning or behind some others. */
function isPlainHere(line: string, start: number, at: number): boolean {
  if (at === start) return false;
  const before = line[at - 1] ?? '';
  switch (line[at]) {
    case '#':
      return true;
    case '=':
      // Behind the program: where it would be an assignment is known once the words are.
      return true;
    case '~':
      return /[A-Za-z0-9]/u.test(before);
    default:
      return false;
  }
}

function readQuoted(line: string, start: number, quote: string): Word {
  const end = line.indexOf(quote, start + 1);
  if (end === -1) return refuse('a quote is not closed');
  const text = line.slice(start + 1, end);
  if (quote === '"' && /[$`\\!]/u.test(text)) return refuse('it has something to replace inside of double quotes');
  return { ok: true, text, end: end + 1 };
}

function checkProgram(words: string[], line: string): SimpleCommand {
  const [program = ''] = words;
  if (program === '') return refuse('it names no program');
  if (reserved.has(program)) return refuse(`${program} is a word of the shell's language`);
  if (program.includes('=')) return refuse('it sets a variable');
  if (wrapping.has(program)) return refuse(`${program} runs another command`);
  // Even without jobs: bash reads `%1prog` as a job to bring to the foreground.
  if (program.startsWith('%')) return refuse('it goes on with a job of the shell');
  if (!/^[A-Za-z0-9_@:,./][A-Za-z0-9_@%:,./-]*$/u.test(program)) return refuse('the name of its program is unusual');
  // A name in quotes would be the same to bash; what is shown is what runs.
  if (!line.trimStart().startsWith(program)) return refuse('the name of its program is quoted');
  return { ok: true, words };
}

const reserved = new Set(
  'if then else elif fi case esac for select while until do done in function time coproc'.split(' '),
);

/** Commands of bash itself that read their arguments as a command, or change how later ones are read. */
const wrapping = new Set('eval exec command builtin source . alias unalias trap set shopt enable'.split(' '));

const meanings: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ';': 'it joins several commands',
    '&': 'it joins several commands, or runs one in the background',
    '|': 'it joins several commands',
    '<': 'it redirects input',
    '>': 'it redirects output',
    '(': 'it groups commands',
    ')': 'it groups commands',
    '{': 'it has braces',
    '}': 'it has braces',
    $: 'it has a variable or a substitution',
    '`': 'it has a substitution',
    '*': 'it has a pattern for file names',
    '?': 'it has a pattern for file names',
    '[': 'it has a pattern for file names',
    ']': 'it has a pattern for file names',
    '!': 'it refers to an earlier command, or negates one',
    '^': 'it refers to an earlier command',
    '#': 'it has a comment',
    '~': 'it refers to a home folder',
    '\\': 'it has a backslash',
    '=': 'it sets a variable',
  }),
);

function refuse(reason: string): { ok: false; reason: string } {
  return { ok: false, reason };
}
