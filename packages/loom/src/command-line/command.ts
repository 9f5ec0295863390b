import type { ExitCode } from './exit-codes.ts';
import type { StoreChoice } from './store-kind.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** One entry of the command table. A group only chooses among its subcommands. */
export type Command = CommandGroup | CommandLeaf;

export type CommandGroup = About & {
  subcommands: readonly Command[];
  /** The subcommand that runs when none is named; without one, help is shown. */
  fallback?: string;
  /** Titles for help, each with the names of its subcommands, the most used first. */
  sections?: readonly { title: string; names: readonly string[] }[];
};

export type CommandLeaf = About & {
  /** True if it also works with a store in PostgreSQL, which has no data folder. */
  takesDatabase?: boolean;
  parameters?: readonly Parameter[];
  /** Loads the code; nothing heavy is imported before a command is chosen. */
  load: () => Promise<(call: Call) => Promise<ExitCode>>;
};

type About = {
  name: string;
  /** The words that people use elsewhere for the same; a person who tries one learns the name. */
  synonyms?: readonly string[];
  /** One line for the list of commands. */
  summary: string;
  options?: readonly Option[];
  /** Paragraphs under the usage, at most 80 columns wide. */
  description?: string;
  examples?: readonly Example[];
  /** Further tables of help, loaded when asked for. */
  details?: () => Promise<readonly HelpTable[]>;
};

export type Parameter = {
  name: string;
  /** A description of the parameter, for the message when it is missing. */
  summary: string;
  /** Takes any number of words. */
  isRepeated?: boolean;
  /** May be left out; only others that may be follow it. */
  isOptional?: boolean;
};

export type Option = {
  name: string;
  short?: string;
  /** The name of its value in help; an option without one is a switch. */
  value?: string;
  summary: string;
  /** May be given several times. */
  isRepeated?: boolean;
};

export type Example = { line: string; meaning?: string };

export type HelpTable = { title: string; rows: readonly (readonly [string, string])[] };

/** A command line that was understood. */
export type Call = {
  /** The whole table. */
  root: Command;
  words: readonly string[];
  options: ReadonlyMap<string, string | true>;
  /** All values of the options that may be given several times. */
  repeated: ReadonlyMap<string, readonly string[]>;
  dataDir: string;
  /** The store for the logs of a new folder, or one without a folder, if the command line or the environment names one. */
  store?: StoreChoice | undefined;
  isJson: boolean;
  terminal: Terminal;
};

export function isGroup(command: Command): command is CommandGroup {
  return 'subcommands' in command;
}
