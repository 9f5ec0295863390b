/** The completion of a line by Tab: the word being typed, and its candidates. */
export interface Completion {
  word: string;
  candidates: string[];
}

/** The names to choose from. */
export interface Completable {
  commands: readonly string[];
  /** The words that fit as the argument of a command. */
  argumentsOf: (command: string) => readonly string[];
}

/** Completes slash commands, and ids and names behind those that take one. Nothing else: a Tab in a message is not completed. */
export function completeLine(line: string, { commands, argumentsOf }: Completable): Completion {
  const [, command, word] = /^(\/\S*)(?:\s+(\S*))?$/.exec(line) ?? [];
  if (command === undefined || line.startsWith('//')) return { word: line, candidates: [] };
  if (word === undefined)
    return {
      word: command,
      candidates: startingWith(
        command,
        commands.map((name) => `/${name} `),
      ),
    };
  return { word, candidates: startingWith(word, argumentsOf(command.slice(1))) };
}

function startingWith(start: string, words: readonly string[]): string[] {
  return words.filter((word) => word.startsWith(start));
}
