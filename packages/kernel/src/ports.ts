import type { PermissionRule } from './op.ts';

/** Time, handed in so that a simulator can make it jump. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls back once after a while; returns how to prevent that. */
  after(milliseconds: number, callback: () => void): () => void;
}

/** Tells other processes who is in a conversation, and hears what they say. Nothing is kept. */
export interface PresencePort {
  /** Names this process. */
  readonly name: string;
  announce(message: string): void;
  /** Calls back with each message, those of this process among them. Returns how to stop. */
  hear(listener: (message: string) => void): () => void;
}

/** Makes ids that sort by time and never repeat. */
export interface Ids {
  next(): string;
}

/** A hash as lower-case hex, for prefixes: the same text gives the same hash on every machine. */
export interface Hash {
  hex(text: string): string;
}

/** A model, by the names that turns take. */
export interface NamedModel {
  provider: string;
  model: string;
}

/** Chooses the models that find titles. */
export interface TitleModelPort {
  /** Returns the model for titles that a person asks for; `undefined` if none is set up. */
  usual(): Promise<NamedModel | undefined>;
  /** Returns the model that gives a conversation a title on its own once this provider has answered in it; `undefined` if none is to. */
  afterAnswer(provider: string): Promise<NamedModel | undefined>;
}

/** Composes what a model is told about the folder that it works in. */
export interface AgentPromptPort {
  /** Returns nothing where there is no such folder. */
  compose(folder: { directory: string; instructions: boolean }): Promise<string | undefined>;
}

/** A program to run, with everything that it gets. */
export interface ProcessOrder {
  /** The program and its arguments. No shell reads them. */
  command: readonly string[];
  directory: string;
  /** All of its environment: nothing is inherited. Loom adds a variable by which it finds what the program has started. */
  environment: Readonly<Record<string, string>>;
  /** Lets it be written to. Without it the program finds its input at its end. */
  takesInput?: boolean;
  limits?: ProcessLimits;
  /** Stops it. */
  signal?: AbortSignal;
}

/** The limits of a process. An absent field limits nothing. */
export interface ProcessLimits {
  /** The bytes of its output that are passed on. Further output is read, counted and dropped, and the process goes on. */
  output?: number;
  /** The time after which it is stopped, in milliseconds. */
  time?: number;
}

/** A piece of what a process prints. */
export interface ProcessOutput {
  stream: 'stdout' | 'stderr';
  bytes: Uint8Array;
}

/** The end of a process. */
export interface ProcessEnd {
  /** `stopped`: because it was told to, or its port was closed. */
  reason: 'exited' | 'stopped' | 'time-limit';
  /** Absent where a signal ended it. */
  code?: number;
  signal?: string;
}

/** A process that was started. It leads a separate process group; every process it starts ends with it. */
export interface RunningProcess {
  readonly pid: number;
  /** Its output, to be read once. A program that prints faster than it is read waits; leaving the loop drops the rest. */
  readonly output: AsyncIterable<ProcessOutput>;
  /** The bytes that it has printed so far, and those of them that were dropped because of the limit. */
  readonly printed: number;
  readonly dropped: number;
  /** Resolves when it takes more. Input that it no longer reads is lost. */
  write(bytes: Uint8Array): Promise<void>;
  /** Ends its input. */
  endInput(): void;
  /** Resolves when it and everything that it has started are gone. Its output may still have to be read. */
  readonly ended: Promise<ProcessEnd>;
  /** Asks the process and everything that it has started to end, and kills the rest after half a second. */
  stop(): Promise<ProcessEnd>;
}

/** The reason why a program was not started. */
export interface SpawnRefusal {
  reason:
    | 'program-not-found'
    | 'program-not-permitted'
    | 'directory-not-found'
    | 'unsupported'
    | 'unguarded'
    | 'closed'
    | 'failed';
  message: string;
}

export type SpawnOutcome = { ok: true; process: RunningProcess } | { ok: false; refusal: SpawnRefusal };

/** Starts programs, none of which outlives the process of Loom, however that ends. */
export interface ProcessPort {
  spawn(order: ProcessOrder): Promise<SpawnOutcome>;
  /** Stops all of them; no others are started. */
  close(): Promise<void>;
}

/** Keeps the permissions that reach beyond one conversation. */
export interface RuleKeeper {
  /** Stores a rule for good; one that is there is not stored twice. `by`: the agent that allowed it. */
  add(rule: PermissionRule, by: string): Promise<unknown>;
  /** Called when a rule has decided about a call, so that it runs, asks or is denied, whether it is one of those that are kept or not. */
  used?(rule: PermissionRule): void;
}

/** Knows the credentials that doors let callers in with, such as tokens. */
export interface CredentialPort {
  /** Returns true if a credential outlives this process: only then can a later one tell that it has ended. */
  isKept(id: string): Promise<boolean>;
  /** Returns true if it lets callers in. */
  isValid(id: string): Promise<boolean>;
}

/** A host without credentials: what is asked for never ends with one. */
export const noCredentials: CredentialPort = {
  isKept: () => Promise.resolve(false),
  isValid: () => Promise.resolve(true),
};

/** The repository that a folder is in. */
export interface RepositoryFacts {
  /** Its top folder; for a worktree, that of the repository that it belongs to. */
  top: string;
  /** The address that it was cloned from, or that it is pushed to. */
  remote?: string;
}

/** Keeps scratch folders: empty ones of conversations whose agents have no other folder to work in. */
export interface ScratchPort {
  /** Returns the scratch folder of a conversation; makes it where it is not there yet. */
  make(root: string): Promise<string>;
  /** Returns true for a scratch folder of any conversation. */
  owns(directory: string): boolean;
}

/** Looks at folders of this machine. */
export interface FolderPort {
  /** Returns the repository that a folder is in; `undefined` where the folder is gone or in none. */
  repositoryOf(directory: string): Promise<RepositoryFacts | undefined>;
}
