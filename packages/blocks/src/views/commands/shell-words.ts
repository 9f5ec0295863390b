/**
 * The command inside a shell's invocation: Codex runs everything as `/bin/bash -lc '<script>'`, and reports it sometimes
 * as such a string and sometimes as the list of words. A person typed neither; both become the script.
 */
export function scriptOfWords(words: readonly string[]): string {
  return scriptOf(words) ?? words.map(quoteWord).join(' ');
}

/** The same for the string form; one that does not invoke a shell is returned as it is. */
export function scriptOfCommandLine(line: string): string {
  const words = splitWords(line);
  return (words === undefined ? undefined : scriptOf(words)) ?? line;
}

function scriptOf(words: readonly string[]): string | undefined {
  const [program = '', ...rest] = words;
  const script = rest.pop();
  const name = program.slice(Math.max(program.lastIndexOf('/'), program.lastIndexOf('\\')) + 1).toLowerCase();
  const flags = rest.join(' ').toLowerCase();
  return script !== undefined && shells.get(name)?.has(flags) === true ? script : undefined;
}

const posix: ReadonlySet<string> = new Set(['-c', '-lc', '-l -c', '-ic', '-lic']);
const powershell: ReadonlySet<string> = new Set([
  '-command',
  '-c',
  '-noprofile -command',
  '-nologo -noprofile -command',
]);

const shells: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ...['sh', 'bash', 'zsh', 'dash', 'ksh', 'bash.exe'].map((name): [string, ReadonlySet<string>] => [name, posix]),
  ...['pwsh', 'powershell', 'pwsh.exe', 'powershell.exe'].map((name): [string, ReadonlySet<string>] => [
    name,
    powershell,
  ]),
  ['cmd.exe', new Set(['/c'])],
]);

function quoteWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** The words of a line that only quotes, one pass; `undefined` where a shell would expand or connect something. */
function splitWords(line: string): string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  for (let position = 0; position < line.length; position += 1) {
    const character = line.charAt(position);
    if (character === "'") {
      const end = line.indexOf("'", position + 1);
      if (end === -1) return undefined;
      word = (word ?? '') + line.slice(position + 1, end);
      position = end;
    } else if (character === '"') {
      const quoted = readDoubleQuoted(line, position + 1);
      if (quoted === undefined) return undefined;
      word = (word ?? '') + quoted.text;
      position = quoted.end;
    } else if (character === '\\') {
      position += 1;
      word = (word ?? '') + line.charAt(position);
    } else if (character === ' ' || character === '\t') {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (/[\n|&;<>()$`*?[\]{}#~!]/.test(character)) {
      return undefined;
    } else {
      word = (word ?? '') + character;
    }
  }
  if (word !== undefined) words.push(word);
  return words;
}

function readDoubleQuoted(line: string, start: number): { text: string; end: number } | undefined {
  let text = '';
  for (let position = start; position < line.length; position += 1) {
    const character = line.charAt(position);
    if (character === '"') return { text, end: position };
    if (character === '$' || character === '`') return undefined;
    if (character === '\\' && '"\\$`\n'.includes(line.charAt(position + 1))) {
      position += 1;
      if (line.charAt(position) !== '\n') text += line.charAt(position);
    } else {
      text += character;
    }
  }
  return undefined;
}
