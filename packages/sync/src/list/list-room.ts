import type { Cursor, Home, HomeNews, JobFacts, ListedRoot, LoomEngine, Outcome } from '@loom/kernel';
import { protocol } from '../frames.ts';
import { EncodedFrame } from '../room/encoded-frame.ts';
import { Attendee } from '../room/attendee.ts';
import type { AttendeeOptions } from '../room/attendee.ts';
import type { Connection } from '../room/waiting-frames.ts';
import { parseListJoin } from './list-frames.ts';
import type { ListFrame, ListJoinFrame } from './list-frames.ts';
import { RecentHeads } from './recent-heads.ts';
import type { TaggedHead } from './recent-heads.ts';

/** A page of the list, as a visitor may see it. */
export type ReadList = (page: {
  limit: number;
  children?: false;
}) => Promise<Outcome<{ items: ListedRoot[]; next?: string }>>;

export interface ListRoomOptions {
  list: Pick<LoomEngine['list'], 'subscribe'>;
  /** Long work; without it clients hear of none. */
  jobs?: Pick<LoomEngine['jobs'], 'list' | 'subscribe'>;
  /** The data beside conversations; without it clients hear of no change of it. */
  homes?: Pick<LoomEngine['homes'], 'subscribe'>;
  /** Tells this room from every other one that ever was: cursors hold in one room alone. */
  epoch: string;
  /** The most that may wait for a client that does not read, in UTF-16 units of JSON. Default: 4 million. */
  limit?: number;
  /** The number of conversations kept for clients that come back. Default: 1000. */
  kept?: number;
  /** Gets what went wrong when a client had to be disconnected. */
  onFailure?: (error: unknown) => void;
}

/** The agent that a connection belongs to, and the conversations it may see. */
export interface ListVisitor {
  /** Its agent: of the homes of persons it hears of this one's alone. */
  agent: string;
  /** No others than these. */
  roots?: readonly string[] | undefined;
  read: ReadList;
}

const firstPage = 100;
const mostKept = 1000;
const mostWaiting = 4_000_000;
/** The number of conversations in one frame. */
const longestFrame = 200;

/** The server's side of the list of conversations: tells all clients what changes in it. It knows no socket. */
export class ListRoom {
  readonly #options: ListRoomOptions;
  readonly #members = new Set<ListMember>();
  readonly #recent: RecentHeads;
  #stopListening: (() => void) | undefined;
  #seq = 0;

  constructor(options: ListRoomOptions) {
    this.#options = options;
    this.#recent = new RecentHeads(options.kept ?? mostKept);
  }

  /** The number of connected clients. */
  get size(): number {
    return this.#members.size;
  }

  /** A client connects. It is sent nothing before it joins by a frame. */
  enter(connection: Connection, visitor: ListVisitor): ListMember {
    // From the first client on: changes that it may miss while it is away are kept.
    this.#stopListening ??= this.#listen();
    const { limit = mostWaiting, onFailure } = this.#options;
    const member = new ListMember({
      connection,
      visitor,
      limit,
      cursor: () => this.#cursor,
      jobs: () => this.#options.jobs?.list() ?? [],
      missed: ({ epoch, seq }) =>
        epoch === this.#options.epoch && seq <= this.#seq ? this.#recent.since(seq) : undefined,
      onLeave: () => void this.#members.delete(member),
      ...(onFailure === undefined ? {} : { onFailure }),
    });
    this.#members.add(member);
    return member;
  }

  /** Disconnects all clients. */
  close(): void {
    this.#stopListening?.();
    for (const member of this.#members) member.dismiss('the server is stopping; connect again');
  }

  #listen(): () => void {
    const { list, jobs, homes } = this.#options;
    const stops = [
      list.subscribe((items) => this.#tell(items)),
      jobs?.subscribe((known) => {
        for (const member of this.#members) member.tellJobs(known);
      }),
      homes?.subscribe((news) => {
        const frame = new EncodedFrame({ type: 'home-changed', ...news });
        for (const member of this.#members) member.tellOfHome(news, frame);
      }),
    ];
    return () => {
      for (const stop of stops) stop?.();
    };
  }

  get #cursor(): Cursor {
    return { epoch: this.#options.epoch, seq: this.#seq };
  }

  #tell(items: readonly ListedRoot[]): void {
    for (let start = 0; start < items.length; start += longestFrame) {
      this.#seq += 1;
      const changed = items.slice(start, start + longestFrame);
      for (const item of changed) this.#recent.keep({ item, seq: this.#seq });
      const cursor = this.#cursor;
      // Written once for all that may see everything.
      const frame = new EncodedFrame({ type: 'list-changed', cursor, items: changed });
      for (const member of this.#members) member.tell(changed, frame, cursor);
    }
  }
}

interface MemberParts extends AttendeeOptions {
  visitor: ListVisitor;
  cursor: () => Cursor;
  jobs: () => readonly JobFacts[];
  missed: (cursor: Cursor) => TaggedHead[] | undefined;
}

/** One connection that follows the list. */
export class ListMember extends Attendee {
  readonly #parts: MemberParts;
  readonly #roots: ReadonlySet<string> | undefined;
  /** The events since it began to join; `undefined` while it does not. */
  #meanwhile: (() => void)[] | undefined;
  #isLive = false;

  constructor(parts: MemberParts) {
    super(parts);
    this.#parts = parts;
    const { roots } = parts.visitor;
    this.#roots = roots && new Set(roots);
  }

  /** Sends a change of the list. */
  tell(items: readonly ListedRoot[], whole: EncodedFrame, cursor: Cursor): void {
    if (this.#meanwhile !== undefined) this.#meanwhile.push(() => this.tell(items, whole, cursor));
    if (!this.#isLive) return;
    const seen = this.#visible(items);
    if (seen.length === 0) return;
    const isAll = seen.length === items.length;
    const frame = isAll ? whole : new EncodedFrame({ type: 'list-changed', cursor, items: seen });
    if (!this.frames.push({ frame, reached: cursor })) this.#isLive = false;
  }

  /** Long work has changed. */
  tellJobs(jobs: readonly JobFacts[]): void {
    if (!this.#isLive) return;
    const seen = jobs.filter(({ root }) => this.#roots === undefined || (root !== undefined && this.#roots.has(root)));
    if (!this.frames.push({ frame: new EncodedFrame({ type: 'jobs', jobs: seen }), reached: undefined }))
      this.#isLive = false;
  }

  /** A home has changed. A client that joins asks for what it shows of homes, so that none needs to know what it missed. */
  tellOfHome(news: HomeNews, frame: EncodedFrame): void {
    if (this.#meanwhile !== undefined) this.#meanwhile.push(() => this.tellOfHome(news, frame));
    if (!this.#isLive || !this.#maySee(news.home)) return;
    if (!this.frames.push({ frame, reached: undefined })) this.#isLive = false;
  }

  /** Access is that of `home.list`: a person's home is that person's, a project's concerns all conversations. */
  #maySee(home: Home | undefined): boolean {
    if (home === undefined) return true;
    return 'person' in home ? home.person === this.#parts.visitor.agent : this.#roots === undefined;
  }

  protected async take(value: unknown): Promise<void> {
    await this.#join(parseListJoin(value));
  }

  protected stop(): void {
    this.#isLive = false;
    this.#meanwhile = undefined;
  }

  async #join({ id, protocol: spoken, limit = firstPage, children, cursor }: ListJoinFrame): Promise<void> {
    if (spoken !== protocol) {
      return this.dismiss(`this server speaks protocol ${protocol}, not ${spoken}; reload the client`);
    }
    const missed = cursor && this.#parts.missed(cursor);
    if (missed !== undefined) {
      const reached = this.#parts.cursor();
      this.#isLive = true;
      const items = this.#visible(missed.map(({ item }) => item));
      this.#begin({ type: 'list-changed', id, cursor: reached, items }, reached);
      return this.#tellOfJobs();
    }
    this.#isLive = false;
    this.#meanwhile = [];
    const reached = this.#parts.cursor();
    const page = await this.#parts.visitor.read({ limit, ...(children === undefined ? {} : { children }) });
    const meanwhile = this.#meanwhile ?? [];
    this.#meanwhile = undefined;
    if (this.hasLeft) return;
    if (!page.ok) return this.#begin({ type: 'refused', id, refusal: page.refusal });
    this.#begin({ type: 'list', id, cursor: reached, ...page.value }, reached);
    this.#isLive = true;
    for (const tell of meanwhile) tell();
    this.#tellOfJobs();
  }

  #tellOfJobs(): void {
    const jobs = this.#parts.jobs();
    if (jobs.length > 0) this.tellJobs(jobs);
  }

  #begin(frame: ListFrame, reached?: Cursor): void {
    this.frames.begin([{ frame: new EncodedFrame(frame), reached }]);
  }

  #visible(items: readonly ListedRoot[]): ListedRoot[] {
    return items.filter(({ id }) => this.#roots?.has(id) !== false);
  }
}
