import { randomUUID } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Continuation } from '@loom/blocks';
import type {
  Provider,
  ProviderCall,
  ProviderEvent,
  ProviderHost,
  ProviderRequest,
  TerminalCommand,
} from '@loom/kernel';
import { continuedNote, inOrder, lostInText, openChannel, WarmPool } from '../agent-cli/index.ts';
import type { AgentProgram } from '../agent-cli/index.ts';
import { ClaudeProcess } from './claude-process.ts';
import { ClaudeTurn } from './claude-turn.ts';
import type { LateAgent } from './late-agents.ts';
import { lateTurn } from './late-turn.ts';
import { source } from './live-events.ts';
import type { CostOf } from './live-events.ts';
import { claudeModes, modeNow } from './modes.ts';
import { ClaudeOffer } from './offer.ts';
import { lastLineOf, ownSession } from './own-session.ts';
import type { OwnSession } from './own-session.ts';
import { branchAsText, contentOf, newWords } from './user-content.ts';

export interface ClaudeOptions {
  program: AgentProgram;
  /** The folder in which a conversation without one works. */
  directory: string;
  id?: string;
  /** Returns the price list of models: what a turn has cost so far is known before Claude Code reports it at the end. */
  prices?: () => Promise<CostOf | undefined>;
}

type Branch = Pick<ProviderRequest, 'directory' | 'trail' | 'invalid'>;

type ApprovalMode = NonNullable<ProviderRequest['approvalMode']>;

/** A place where a turn runs: everything that a process depends on besides its session. */
interface Place {
  root: string;
  model: string;
  directory: string;
  mode: ApprovalMode;
  systemPrompt: string | undefined;
}

/** The way in which a process goes on with a branch, in the words of the command line, and as it is noted. */
interface Start {
  words: readonly string[];
  /** `resumed`, `forked`, `handed-over`, `as-text` or `new`. */
  continued: string;
  way: Continuation;
  /** Text to say before the person's words. */
  before?: string;
  /** The session that the program is told to begin. */
  session?: string;
}

/** Lets the person's own Claude Code speak: one process for each branch, kept for the next turn. */
export function createClaudeProvider(options: ClaudeOptions): Provider {
  return new ClaudeProvider(options);
}

class ClaudeProvider implements Provider {
  readonly id: string;
  readonly runsTools = true;
  readonly #options: ClaudeOptions;
  readonly #pool: WarmPool<ClaudeProcess>;
  readonly #offer: ClaudeOffer;
  readonly #running = new Set<ClaudeProcess>();
  #host: ProviderHost | undefined;

  constructor(options: ClaudeOptions) {
    this.id = options.id ?? 'claude';
    this.#options = options;
    this.#pool = new WarmPool(options.program.clock);
    this.#offer = new ClaudeOffer(options.program, options.directory);
  }

  attach(host: ProviderHost): void {
    this.#host = host;
  }

  offers(): ReturnType<ClaudeOffer['get']> {
    return this.#offer.get();
  }

  async continuation({ directory = this.#options.directory, trail, invalid }: Branch): Promise<Continuation> {
    const own = await this.#ownWay(invalid.length > 0 ? undefined : ownSession(trail), directory);
    if (own !== undefined) return { how: own.how };
    return { how: trail.some(({ role }) => role !== 'user') ? 'session' : 'new' };
  }

  async terminalCommand({ trail }: Pick<ProviderRequest, 'trail'>): Promise<TerminalCommand> {
    const own = ownSession(trail);
    if (own === undefined)
      return {
        ok: false,
        why: 'Claude Code did not speak last on this branch. Let it answer here first, or export the branch for it: loom export --format claude-code',
      };
    const last = await lastLineOf(this.#folder, own);
    if (last === undefined) return { ok: false, why: `Claude Code no longer has the session ${own.session}.` };
    if (last !== own.line)
      return {
        ok: false,
        why: 'The session has gone on behind this message, and a terminal goes on at its end. Go on here: Claude Code forks it.',
      };
    return { ok: true, words: [...this.#options.program.command, '--resume', own.session], directory: own.directory };
  }

  async *stream(request: ProviderRequest, call: ProviderCall): AsyncGenerator<ProviderEvent> {
    yield { type: 'call-start' };
    const missing = await this.#offer.hindrance();
    if (missing !== undefined) {
      const detail =
        missing.needs === undefined ? {} : { detail: { agent: 'Claude Code', login: 'claude auth login' } };
      yield { type: 'call-error', error: { code: 'auth', message: missing.message, final: true, ...detail } };
      return;
    }
    const place = this.#placeOf(request);
    const blocks = newWords(request.messages);
    const opened = await this.#open(request, call, place);
    if ('message' in opened) {
      yield { type: 'call-error', error: { code: 'failed', message: opened.message } };
      return;
    }
    const { process, start } = opened;
    const words = start.before === undefined ? blocks : [{ type: 'text' as const, text: start.before }, ...blocks];
    const content = await contentOf(words, call.blobs);
    call.record('request', new TextEncoder().encode(JSON.stringify({ ...start, content })));
    yield continuedNote(this.id, start.way);
    // Known before anything is said in it: a Loom that is killed in between would else meet it as another conversation.
    if (start.session !== undefined) yield { type: 'session', source, id: start.session };
    const turn = new ClaudeTurn(process, call, await this.#prices());
    try {
      yield* inOrder(turn.events({ uuid: randomUUID(), content }, { continued: start.continued }));
    } finally {
      void this.#keep(process, place);
    }
  }

  /** Costs that cannot be looked up are unknown, and hinder no turn. */
  async #prices(): Promise<CostOf | undefined> {
    return this.#options.prices?.().catch(() => undefined);
  }

  async close(): Promise<void> {
    await Promise.all([this.#pool.close(), ...[...this.#running].map((process) => process.stop())]);
  }

  #placeOf({ root, model, directory, approvalMode, systemPrompt }: ProviderRequest): Place {
    return { root, model, directory: directory ?? this.#options.directory, mode: approvalMode ?? 'ask', systemPrompt };
  }

  /** Returns a process that stands at the end of the branch: a warm one, or a new one that resumes, forks or takes over. */
  async #open(
    request: ProviderRequest,
    call: ProviderCall,
    place: Place,
  ): Promise<{ process: ClaudeProcess; start: Start } | { message: string }> {
    const own = request.invalid.length > 0 ? undefined : ownSession(request.trail);
    const warm = own === undefined ? undefined : this.#pool.take(nameOf(place, own.session, own.line));
    if (warm !== undefined) {
      this.#running.add(warm);
      return { process: warm, start: { words: [], continued: 'kept', way: { how: 'own-session' } } };
    }
    const start = await this.#startOf(request, call, place);
    const { program } = this.#options;
    const opened = await openChannel(program, [...wordsOf(place), ...start.words], place.directory);
    if (!opened.ok) return { message: opened.refusal.message };
    const process = new ClaudeProcess(opened.channel, program.clock);
    process.onBegun(() => this.#begin(process, place));
    process.onLate((agent) => this.#beginLate(process, place, agent));
    process.onMode((mode) => this.#changeMode(process, place, mode));
    this.#running.add(process);
    return { process, start };
  }

  async #startOf(request: ProviderRequest, call: ProviderCall, { directory }: Place): Promise<Start> {
    const own = request.invalid.length > 0 ? undefined : ownSession(request.trail);
    const found = await this.#ownWay(own, directory);
    if (found !== undefined) {
      const { how, session: id, line } = found;
      const [words, way] = [['--resume', id], { how }];
      if (how === 'own-session') return { words, continued: 'resumed', way };
      return anew([...words, '--resume-session-at', line, '--fork-session'], { continued: 'forked', way });
    }
    if (!request.messages.some(({ role }) => role !== 'user'))
      return anew([], { continued: 'new', way: { how: 'new' } });
    const session = await call.session('claude-code', { directory });
    if (!session.ok) {
      const way: Continuation = { how: 'text', loses: lostInText(request) };
      return anew([], { continued: 'as-text', way, before: branchAsText(request.messages) });
    }
    const path = join(this.#folder, session.session.path);
    let text = '';
    for await (const line of session.session.lines()) text += line;
    await mkdir(dirname(path), { recursive: true });
    await writeFile(`${path}.new`, text, { mode: 0o600 });
    await rename(`${path}.new`, path);
    return { words: ['--resume', session.session.id], continued: 'handed-over', way: { how: 'session' } };
  }

  /** Returns the own session of a branch if it is still there: to go on at its end, or to fork it where the branch leaves it. */
  async #ownWay(
    own: OwnSession | undefined,
    directory: string,
  ): Promise<(OwnSession & { how: 'own-session' | 'fork' }) | undefined> {
    if (own?.directory !== directory) return undefined;
    const last = await lastLineOf(this.#folder, own);
    return last === undefined ? undefined : { ...own, how: last === own.line ? 'own-session' : 'fork' };
  }

  /** The folder in which Claude Code keeps its sessions. */
  get #folder(): string {
    const { environment } = this.#options.program;
    return environment['CLAUDE_CONFIG_DIR'] ?? join(environment['HOME'] ?? this.#options.directory, '.claude');
  }

  /** Keeps a process for the next turn, once its turn is over. */
  async #keep(process: ClaudeProcess, place: Place): Promise<void> {
    await process.atRest();
    this.#running.delete(process);
    const { session, line, permissionMode } = process;
    // It is kept for turns in the mode that it is in: that of the turn may be over, such as when a plan was approved.
    const mode = modeNow(place.mode, permissionMode);
    if (session === undefined || line === undefined || mode === undefined) return void process.stop();
    this.#pool.keep(nameOf({ ...place, mode }, session, line), process);
  }

  /** Gives the conversation the mode that a person has allowed the agent: the next turn is asked for in it. */
  #changeMode({ turn }: ClaudeProcess, { root }: Place, mode: ApprovalMode): void {
    // A store that fails has failed the turn as well.
    if (turn !== undefined) this.#host?.changeMode({ root, turn, mode }).catch(() => {});
  }

  /** Opens a turn that the agent has begun without being asked. */
  #begin(process: ClaudeProcess, place: Place): void {
    this.#pool.forget(process);
    this.#running.add(process);
    const text = process.ended ?? 'A task in the background has ended.';
    const { turn: after } = process;
    const begun = async (): Promise<void> => {
      const outcome =
        after === undefined
          ? undefined
          : await this.#host?.begin({
              root: place.root,
              after,
              notice: { kind: 'task-notification', blocks: [{ type: 'text', text }] },
              stream: (_request, call) => this.#streamBegun(process, place, call),
            });
      if (outcome?.ok === true) return;
      process.leave();
      // Nobody hears it, such as because those who asked may no longer ask: it does not work on unseen.
      this.#running.delete(process);
      await process.stop();
    };
    begun().catch(() => {
      process.leave();
      void process.stop();
    });
  }

  /** Opens a turn in which a sub-agent goes on, in its own conversation. One that is not known here is left to importers. */
  #beginLate(process: ClaudeProcess, { root }: Place, agent: LateAgent): void {
    const { turn: after } = process;
    const begun = async (): Promise<void> => {
      const session = { source, id: agent.conversation };
      const outcome =
        after === undefined
          ? undefined
          : await this.#host?.begin({
              root,
              after,
              session,
              stream: (_request, call) => inOrder(lateTurn(process, agent, call)),
            });
      if (outcome?.ok === true) return;
      process.forget(agent);
      // Those who asked may no longer ask.
      if (outcome?.refusal.reason === 'not-permitted') await process.stop();
    };
    begun().catch(() => process.forget(agent));
  }

  async *#streamBegun(process: ClaudeProcess, place: Place, call: ProviderCall): AsyncGenerator<ProviderEvent> {
    yield { type: 'call-start' };
    const turn = new ClaudeTurn(process, call, await this.#prices());
    try {
      yield* inOrder(turn.events(undefined, { continued: 'begun' }));
    } finally {
      void this.#keep(process, place);
    }
  }
}

/** Starts a session whose name is chosen here. */
function anew(words: readonly string[], how: Omit<Start, 'words' | 'session'>): Start {
  const session = randomUUID();
  return { ...how, words: [...words, '--session-id', session], session };
}

function nameOf({ root, model, directory, mode, systemPrompt }: Place, session: string, line: string): string {
  return JSON.stringify([root, model, directory, mode, systemPrompt, session, line]);
}

/** The arguments that every process of a place gets. */
function wordsOf({ model, mode, systemPrompt }: Place): string[] {
  return [
    '-p',
    '--input-format',
    'stream-json',
    '--output-format',
    'stream-json',
    '--verbose',
    '--include-partial-messages',
    '--forward-subagent-text',
    '--permission-prompt-tool',
    'stdio',
    '--permission-mode',
    claudeModes[mode].name,
    ...(claudeModes[mode].settings === undefined ? [] : ['--settings', JSON.stringify(claudeModes[mode].settings)]),
    ...(model === '' || model === 'default' ? [] : ['--model', model]),
    ...(systemPrompt === undefined || systemPrompt === '' ? [] : ['--append-system-prompt', systemPrompt]),
  ];
}
