import type { Clock, FolderPort, RepositoryFacts, ScratchPort } from '../ports.ts';
import { projectOf, workFactsOf } from './projects.ts';
import type { WorkFacts } from './projects.ts';
import type { RootConfig } from '../op.ts';

/** The time for which the state of a folder is taken as it was, in milliseconds. */
const longestTrust = 30_000;
/** The folders that are looked at together. */
const atOnce = 16;
const mostFolders = 20_000;

/** A folder as it was when it was looked at. */
interface Look {
  facts: RepositoryFacts | undefined;
  time: number;
}

/** Knows the projects of conversations. Each folder is looked at once for all conversations in it, and again, without being waited for, when that is a while ago. */
export class ProjectPlaces {
  readonly #port: FolderPort | undefined;
  readonly #scratch: ScratchPort | undefined;
  readonly #clock: Clock;
  readonly #looks = new Map<string, Look>();
  readonly #addresses = new Map<string, string>();
  readonly #looking = new Map<string, Promise<void>>();

  constructor({ folders, scratch, clock }: { folders?: FolderPort; scratch?: ScratchPort; clock: Clock }) {
    this.#port = folders;
    this.#scratch = scratch;
    this.#clock = clock;
  }

  /** Looks at the folders of some conversations, and learns the addresses of repositories that they noted. */
  async prepare(conversations: Iterable<WorkFacts>): Promise<void> {
    const unknown = new Set<string>();
    const old = new Set<string>();
    const now = this.#clock.now();
    for (const { directory, repository } of conversations) {
      if (directory === undefined) continue;
      if (repository !== undefined && this.#addresses.size < mostFolders) this.#addresses.set(directory, repository);
      const look = this.#looks.get(directory);
      if (look === undefined) unknown.add(directory);
      else if (now - look.time > longestTrust) old.add(directory);
    }
    void this.#lookAt([...old]);
    await this.#lookAt([...unknown]);
  }

  /** Looks at the folder of a conversation, and returns its project. */
  async find(summary: { config: RootConfig; project?: string | undefined }): Promise<string | undefined> {
    const facts = workFactsOf(summary);
    await this.prepare([facts]);
    return this.projectOf(facts);
  }

  /** Returns the project of a conversation, as far as its folder was looked at. */
  projectOf(facts: WorkFacts): string | undefined {
    return projectOf(facts, {
      repositoryOf: (directory) => this.#looks.get(directory)?.facts,
      addressNoted: (directory) => this.#noted(directory),
      isScratch: (directory) => this.isScratch(directory),
    });
  }

  /** Returns true for a folder that Loom has made for one conversation alone. */
  isScratch(directory: string): boolean {
    return this.#scratch?.owns(directory) === true;
  }

  /** Returns the top of the repository that a folder is in, if it is still there, else the folder. */
  topOf(directory: string): string {
    return this.#looks.get(directory)?.facts?.top ?? directory;
  }

  /** Finds what was noted in a folder or in the nearest one above it: what is in a repository lies below its top. */
  #noted(directory: string): string | undefined {
    for (let at = directory; at !== ''; at = at.slice(0, Math.max(0, at.search(/[/\\][^/\\]*$/u)))) {
      const address = this.#addresses.get(at);
      if (address !== undefined) return address;
    }
    return undefined;
  }

  async #lookAt(directories: readonly string[]): Promise<void> {
    const port = this.#port;
    if (port === undefined) return;
    for (let start = 0; start < directories.length; start += atOnce) {
      await Promise.all(directories.slice(start, start + atOnce).map((directory) => this.#look(port, directory)));
    }
  }

  #look(port: FolderPort, directory: string): Promise<void> {
    const looking = this.#looking.get(directory);
    if (looking !== undefined) return looking;
    const look = this.#read(port, directory);
    this.#looking.set(directory, look);
    return look;
  }

  async #read(port: FolderPort, directory: string): Promise<void> {
    const facts = await port.repositoryOf(directory).catch(() => undefined);
    this.#looking.delete(directory);
    if (this.#looks.size < mostFolders) this.#looks.set(directory, { facts, time: this.#clock.now() });
  }
}
