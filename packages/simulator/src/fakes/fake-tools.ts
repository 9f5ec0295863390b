import { openBlock } from '@loom/kernel';
import type {
  Tool,
  ToolContext,
  ToolDescription,
  ToolInvocation,
  ToolOutcome,
  ToolOutput,
  ToolPermission,
} from '@loom/kernel';
import type { Random } from '@loom/kernel/testing';

/** The tools by name, with the user's part in each. */
const permissions = { look: 'run', change: 'ask', inquire: 'question' } as const satisfies Record<
  string,
  ToolPermission
>;

export const toolNames: readonly string[] = Object.keys(permissions);

/** Returns true if calls of a tool must wait for a user. */
export function needsPerson(name: string): boolean {
  return name === 'change' || name === 'inquire';
}

/** The inputs of a process's tools. */
export interface ToolSurroundings {
  random: Random;
  /** Waits until the seed lets it continue. */
  pause: () => Promise<void>;
  sleep: (milliseconds: number) => Promise<void>;
  /** Called at every start, before anything else. */
  onStart: (invocation: ToolInvocation) => void;
  /** Called with the whole text of a block, before it is emitted. */
  onWords: (words: string) => void;
}

/** Creates tools that only take their time and end in every possible way, named by their first parameter. */
export function createFakeTools({ random, pause, sleep, onStart, onWords }: ToolSurroundings): Tool[] {
  const run = async (invocation: ToolInvocation, { signal }: ToolContext, out: ToolOutput): Promise<ToolOutcome> => {
    onStart(invocation);
    const shown = openBlock(out, { type: 'command', command: invocation.name, stdout: '' });
    // Long enough for a lot to happen meanwhile.
    for (let round = random.below(6); round >= 0; round -= 1) await pause();
    const { ending } = invocation.parameters;
    onWords(output);
    await shown.append('stdout', output);
    if (ending === 'slow') await sleep(random.below(30_000));
    // Some tools cannot be stopped; their output then comes too late.
    if (signal.aborted && random.chance(0.5)) throw new Error('stopped');
    if (ending === 'throw') throw new Error('the tool broke');
    const said: ToolOutcome = { content: [{ type: 'text', text: `${invocation.name} ${invocation.id}` }] };
    return ending === 'fail' ? { ...said, is_error: true } : said;
  };
  return Object.entries(permissions).map(([name, permission]) => ({
    ...describe(name, permission),
    prepare: async () => ({ permission }),
    run,
  }));
}

const output = 'working\n';

/** Returns the descriptions, for a model, of the tools that a turn may use. */
export function describeFakeTools(names: readonly string[]): ToolDescription[] {
  const offered = Object.entries(permissions).filter(([name]) => names.includes(name));
  return offered.map(([name, permission]) => describe(name, permission));
}

function describe(name: string, permission: ToolPermission): ToolDescription {
  return {
    name,
    description: `A tool with the permission ${permission}`,
    parameters: { type: 'object', properties: { ending: { type: 'string' } } },
  };
}

/** Returns the arguments of a call as a model writes them, now and then malformed. */
export function inventArguments(random: Random): string {
  const ending = random.weigh(
    [
      ['fine', 5],
      ['slow', 5],
      ['fail', 1],
      ['throw', 1],
      ['malformed', 0.5],
    ],
    'fine',
  );
  if (ending === 'malformed') return '{"ending": ';
  // The blank makes the exact string differ from the output of JSON.stringify.
  return random.chance(0.5) ? JSON.stringify({ ending }) : `{ "ending": "${ending}" }`;
}
