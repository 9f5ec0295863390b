import { parseArgs } from 'node:util';
import { isGroup, type Command, type CommandLeaf, type Option, type Parameter } from './command.ts';
import { UsageError } from './failure.ts';
import { nearest } from '@loom/blocks/nearest-word';

/** The parsed command line. */
export type Request = {
  /** The commands from the root of the table to the one called. */
  chain: readonly [Command, ...Command[]];
  words: readonly string[];
  options: ReadonlyMap<string, string | true>;
  /** All values of the options that may be given several times. */
  repeated: ReadonlyMap<string, readonly string[]>;
};

/** Parses a command line. Options may stand anywhere before `--`; arguments after `--` are taken as they are. */
export function parseCommandLine(args: readonly string[], root: Command): Request {
  const chain: [Command, ...Command[]] = [root];
  // Options that take a value decide which word is a command, so each level is read with all options known so far.
  for (;;) {
    const command = chain.at(-1) ?? root;
    const known = chain.flatMap(({ options = [] }) => options);
    const tokens = tokenise(args, known);
    const words = tokens.flatMap((token) => (token.kind === 'positional' ? [token.value] : [])).slice(chain.length - 1);
    const [word] = words;
    if (isGroup(command) && word !== undefined) {
      const next = command.subcommands.find(({ name }) => name === word);
      if (next === undefined) throw unknownCommand(chain, command.subcommands, word);
      chain.push(next);
      continue;
    }
    return { chain, words, ...readOptions(tokens, known, chain) };
  }
}

/** Refuses missing and surplus words. */
export function checkWords(chain: readonly Command[], leaf: CommandLeaf, words: readonly string[]): void {
  const { parameters = [] } = leaf;
  const name = spell(chain);
  const missing = parameters.filter(({ isRepeated, isOptional }) => isRepeated !== true && isOptional !== true)[
    words.length
  ];
  if (missing !== undefined) {
    throw new UsageError('missing-argument', `${name} needs <${missing.name}>, ${missing.summary}`, {
      advice: `Usage: ${name} ${parameters.map(spellParameter).join(' ')}`,
    });
  }
  const surplus = words[parameters.length];
  if (surplus !== undefined && parameters.at(-1)?.isRepeated !== true) {
    throw new UsageError('unexpected-argument', `${name} does not take ${quote(surplus)}`, {
      advice:
        parameters.length > 0 ? 'A value with spaces needs quotes around it.' : `See ${name} --help for what it takes.`,
    });
  }
}

/** Spells a parameter for a usage line. */
export function spellParameter({ name, isRepeated, isOptional }: Parameter): string {
  if (isRepeated === true) return `[${name}…]`;
  return isOptional === true ? `[${name}]` : `<${name}>`;
}

/** Spells a command: `loom config set`. */
export function spell(chain: readonly Command[]): string {
  return chain.map(({ name }) => name).join(' ');
}

type Token = ReturnType<typeof tokenise>[number];

function tokenise(args: readonly string[], known: readonly Option[]) {
  const options = Object.fromEntries(
    known.map(({ name, short, value }) => [
      name,
      {
        type: value === undefined ? ('boolean' as const) : ('string' as const),
        ...(short === undefined ? {} : { short }),
      },
    ]),
  );
  return parseArgs({ args: [...args], options, strict: false, allowPositionals: true, tokens: true }).tokens;
}

function readOptions(
  tokens: readonly Token[],
  known: readonly Option[],
  chain: readonly Command[],
): Pick<Request, 'options' | 'repeated'> {
  const options = new Map<string, string | true>();
  const repeated = new Map<string, string[]>();
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const option = known.find(({ name }) => name === token.name);
    if (option === undefined) throw unknownOption(token.rawName, known, chain);
    const value = valueOf(option, token);
    options.set(option.name, value);
    if (option.isRepeated === true && value !== true) {
      repeated.set(option.name, [...(repeated.get(option.name) ?? []), value]);
    }
  }
  return { options, repeated };
}

function valueOf(option: Option, token: Extract<Token, { kind: 'option' }>): string | true {
  const { rawName, value, inlineValue } = token;
  if (option.value === undefined) {
    if (value === undefined) return true;
    throw new UsageError('bad-option', `${rawName} takes no value`);
  }
  if (value === undefined || value === '') {
    throw new UsageError('bad-option', `${rawName} needs <${option.value}>`);
  }
  // A dash alone is a value, standard input; so is an item of a list, or a number below zero.
  if (/^--?[A-Za-z]/.test(value) && !inlineValue) {
    throw new UsageError('bad-option', `${rawName} needs <${option.value}>, but ${quote(value)} follows`, {
      advice: `If that is what you mean, write --${option.name}=${value}`,
    });
  }
  return value;
}

function unknownCommand(chain: readonly Command[], candidates: readonly Command[], word: string): UsageError {
  const name = spell(chain);
  const names = candidates.map((candidate) => candidate.name);
  const guess = synonymOf(candidates, word) ?? deeperCommand(candidates, word) ?? nearest(word, names);
  return new UsageError('unknown-command', `${name} has no command ${quote(word)}`, {
    advice: guess === undefined ? `See ${name} --help for the commands.` : `Did you mean ${name} ${guess}?`,
  });
}

/** `list` was meant as `ls`. */
function synonymOf(candidates: readonly Command[], word: string): string | undefined {
  return candidates.find(({ synonyms = [] }) => synonyms.includes(word.toLowerCase()))?.name;
}

/** `set` was meant as `config set`. */
function deeperCommand(candidates: readonly Command[], word: string): string | undefined {
  const group = candidates.filter(isGroup).find(({ subcommands }) => subcommands.some(({ name }) => name === word));
  return group === undefined ? undefined : `${group.name} ${word}`;
}

function unknownOption(rawName: string, known: readonly Option[], chain: readonly Command[]): UsageError {
  const name = spell(chain);
  const spellings = known.flatMap((option) => [
    `--${option.name}`,
    ...(option.short === undefined ? [] : [`-${option.short}`]),
  ]);
  const guess =
    spellings.find((spelling) => spelling.toLowerCase() === rawName.toLowerCase()) ??
    (rawName.startsWith('--') ? nearest(rawName, spellings) : undefined);
  const isNumber = /^-[\d.]/.test(rawName);
  return new UsageError('unknown-option', `${name} has no option ${rawName}`, {
    advice: isNumber
      ? `A value that starts with a dash goes after --: ${name} … -- ${rawName}`
      : guess === undefined
        ? `See ${name} --help. A value that starts with a dash goes after --.`
        : `Did you mean ${guess}?`,
  });
}

function quote(word: string): string {
  return JSON.stringify(word.length > 60 ? `${word.slice(0, 60)}…` : word);
}
