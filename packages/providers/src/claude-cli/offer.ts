import { isPlainObject } from '@loom/blocks';
import type { ProviderOffer } from '@loom/kernel';
import { KeptAnswer, openChannel, remarkOnVersion, runBriefly, versionIn } from '../agent-cli/index.ts';
import type { AgentProgram } from '../agent-cli/index.ts';
import { ClaudeProcess } from './claude-process.ts';

/** The versions of Claude Code that `npm run real-programs` was run with. */
const triedVersions = { oldest: '2.1.325', newest: '2.1.327' };

/** The time that the program has to answer, in milliseconds. A list does not wait so long; the answer is there for the next one. */
const askTime = 20_000;

/** The reason that no turn can be run, with what to do. */
interface Hindrance {
  message: string;
  needs?: 'login';
}

/** Asks the installed Claude Code what it offers, and whether a person is logged in. */
export class ClaudeOffer {
  readonly #program: AgentProgram;
  readonly #directory: string;
  readonly #offer: KeptAnswer<ProviderOffer>;
  readonly #hindrance: KeptAnswer<Hindrance | undefined>;

  constructor(program: AgentProgram, directory: string) {
    this.#program = program;
    this.#directory = directory;
    this.#hindrance = new KeptAnswer(
      program.clock,
      () => this.#askLogin(),
      (why) => why === undefined,
    );
    this.#offer = new KeptAnswer(
      program.clock,
      () => this.#ask(),
      ({ state }) => state.type === 'installed',
    );
  }

  get(): Promise<ProviderOffer> {
    return this.#offer.get();
  }

  /** Returns the reason that no turn can be run, with what to do; `undefined` if there is none that is known. */
  hindrance(): Promise<Hindrance | undefined> {
    return this.#hindrance.get();
  }

  async #ask(): Promise<ProviderOffer> {
    const why = await this.hindrance();
    if (why !== undefined) return { state: { type: 'missing', ...why } };
    const opened = await openChannel(
      this.#program,
      ['-p', '--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'],
      this.#directory,
    );
    if (!opened.ok) return { state: { type: 'missing', message: notFound(this.#program) } };
    const process = new ClaudeProcess(opened.channel, this.#program.clock);
    const cancel = this.#program.clock.after(askTime, () => void process.stop());
    const said = await process.request({ subtype: 'initialize' });
    cancel();
    void process.stop();
    if (said === undefined)
      return {
        state: {
          type: 'failed',
          code: 'no-answer',
          message: `Claude Code is installed, but did not answer. ${opened.channel.complaints}`.trim(),
        },
      };
    const version = versionIn(String(said['claude_code_version']));
    const remark = version === undefined ? undefined : remarkOnVersion('Claude Code', version, triedVersions);
    return {
      state: { type: 'installed', ...(version === undefined ? {} : { version }) },
      ...(remark === undefined ? {} : { remark }),
      models: choicesIn(said['models'], 'value'),
      modes: [
        { name: 'plan', about: 'Looks and plans, changes nothing.' },
        { name: 'ask', about: 'Asks before it changes files or runs commands.' },
        { name: 'edit', about: 'Edits files without asking, asks before commands.' },
        { name: 'sandbox', about: 'Also runs commands without asking, in its sandbox.' },
      ],
      commands: choicesIn(said['commands'], 'name'),
    };
  }

  async #askLogin(): Promise<Hindrance | undefined> {
    const run = await runBriefly(this.#program, ['auth', 'status'], { directory: this.#directory, time: askTime });
    if (!run.ok) return { message: notFound(this.#program) };
    const said = parse(run.stdout);
    // Versions that do not know the question are asked without it.
    if (!isPlainObject(said) || said['loggedIn'] !== false) return undefined;
    const message =
      'Claude Code is installed, but not logged in. Run `claude auth login` in a terminal, or name a key in agents.claude.env.';
    return { message, needs: 'login' };
  }
}

function notFound({ command: [name = 'claude'] }: AgentProgram): string {
  return `There is no program ${name}. Install Claude Code (npm install -g @anthropic-ai/claude-code), or name its path in agents.claude.command.`;
}

type OfferedChoice = NonNullable<ProviderOffer['commands']>[number];

function choicesIn(value: unknown, field: string): OfferedChoice[] {
  return (Array.isArray(value) ? value : []).flatMap((each: unknown): OfferedChoice[] => {
    const name = isPlainObject(each) ? each[field] : undefined;
    if (!isPlainObject(each) || typeof name !== 'string' || name.trim() === '') return [];
    const about = each['description'];
    return [{ name, ...(typeof about === 'string' ? { about: about.slice(0, 300) } : {}) }];
  });
}

function parse(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}
