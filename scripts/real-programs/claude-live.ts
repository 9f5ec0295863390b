import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { anthropicWire, startEmulator } from '@loom/providers/testing';
import type { Emulator } from '@loom/providers/testing';
import { openLoom } from '@loom/loom';
import type { Loom } from '@loom/loom';
import { z } from 'zod';
import { withOwnIds } from './agent-program.ts';
import { LoomCommand } from './loom-command.ts';

type Answer = ReturnType<Parameters<typeof startEmulator>[1]>;

/** A Loom in which the real Claude Code answers, with an emulated model. */
class Stage {
  readonly dataDir: string;
  readonly work: string;
  readonly emulator: Emulator;
  readonly #answers: Answer[];
  /** Answers by the request, before those of a conversation. */
  readonly script: { answer?: (body: string) => Answer | undefined };
  readonly #command: LoomCommand;
  loom: Loom;

  private constructor(parts: {
    dataDir: string;
    work: string;
    emulator: Emulator;
    answers: Answer[];
    script: Stage['script'];
    loom: Loom;
    home: string;
  }) {
    this.dataDir = parts.dataDir;
    this.work = parts.work;
    this.emulator = parts.emulator;
    this.#answers = parts.answers;
    this.script = parts.script;
    this.loom = parts.loom;
    this.#command = new LoomCommand(parts.home, parts.dataDir);
  }

  static async open(folder: string, program: string): Promise<Stage> {
    const [dataDir, home, work] = ['data', 'home', 'work'].map((name) => join(folder, name));
    if (dataDir === undefined || home === undefined || work === undefined) throw new Error('no folder');
    for (const each of [dataDir, home, work]) mkdirSync(each, { recursive: true });
    const answers: Answer[] = [];
    const script: Stage['script'] = {};
    const emulator = await startEmulator(
      withOwnIds(anthropicWire),
      (_asked, { body }) => script.answer?.(body) ?? answers.shift() ?? { said: [{ say: 'Nothing more.' }] },
    );
    const env = [
      'ANTHROPIC_API_KEY',
      'ANTHROPIC_BASE_URL',
      'DISABLE_TELEMETRY',
      'CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC',
    ];
    writeFileSync(
      join(dataDir, 'config.toml'),
      `[agents.claude]\ncommand = ${JSON.stringify(program)}\nenv = ${JSON.stringify(env)}\n`,
    );
    Object.assign(process.env, {
      HOME: home,
      ANTHROPIC_API_KEY: 'emulated',
      ANTHROPIC_BASE_URL: emulator.url,
      DISABLE_TELEMETRY: '1',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    });
    return new Stage({ dataDir, home, work, emulator, answers, script, loom: await openLoom({ dataDir }) });
  }

  /** Begins a conversation in the folder. */
  async begin(approval_mode: 'ask' | 'plan' = 'ask'): Promise<string> {
    const { root } = await asked(this.loom.call('root.create', { config: { directory: this.work, approval_mode } }));
    return root;
  }

  /** Says something below a node, with the answers that the model will give, and starts the turn. */
  async start(parent: string, words: string, ...answers: Answer[]): Promise<{ turn: string; node: string }> {
    this.#answers.splice(0, this.#answers.length, ...answers);
    const { nodes } = await asked(
      this.loom.call('node.append', { parent, messages: [{ role: 'user', content: words }] }),
    );
    const node = nodes[0] ?? '';
    const { turns } = await asked(
      this.loom.call('turn.start', { node, provider: 'claude', model: 'claude-sonnet-4-5' }),
    );
    return { turn: turns[0] ?? '', node };
  }

  async say(parent: string, words: string, ...answers: Answer[]): Promise<string> {
    const { turn } = await this.start(parent, words, ...answers);
    await this.loom.engine.turns.wait(turn);
    return await this.leaf(parent);
  }

  /** The same, with the milliseconds until the first word of the answer. */
  async time(parent: string, words: string, ...answers: Answer[]): Promise<{ leaf: string; firstWord: number }> {
    const started = performance.now();
    const { turn, node } = await this.start(parent, words, ...answers);
    await until('a first word', async () => {
      const state = await asked(this.loom.open(node.split('/')[0] ?? node));
      const isSaid = (state.children.get(node) ?? []).some((id) => (state.nodes.get(id)?.blocks.length ?? 0) > 0);
      return isSaid ? true : undefined;
    });
    const firstWord = performance.now() - started;
    await this.loom.engine.turns.wait(turn);
    return { leaf: await this.leaf(parent), firstWord };
  }

  /** The node of a call that waits for a person. */
  async waiting(root: string): Promise<{ node: string; arguments: string; ask: unknown }> {
    return until('a question', async () => {
      const state = await asked(this.loom.open(root));
      const node = [...state.nodes.values()].find(({ ask, tool }) => ask !== undefined && tool === 'waiting');
      if (node === undefined) return undefined;
      const call = [...state.nodes.values()]
        .flatMap(({ blocks }) => blocks)
        .find((block) => block.type === 'tool-use' && block.id === node.tool_call_id);
      const spelled = call?.type === 'tool-use' ? (call.arguments ?? JSON.stringify(call.parameters)) : '{}';
      return { node: node.id, arguments: spelled, ask: node.ask };
    });
  }

  async leaf(near: string): Promise<string> {
    const root = near.split('/')[0] ?? near;
    return (await asked(this.loom.open(root))).recentLeaves(1)[0]?.id ?? root;
  }

  /** The texts of a branch. */
  async texts(node: string): Promise<string[]> {
    const path = (await asked(this.loom.open(node.split('/')[0] ?? ''))).pathTo(node);
    return path.flatMap(({ blocks }) => blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])));
  }

  /** Imports all sessions that Claude Code has left; returns the number of messages that were added. */
  async imported(): Promise<number> {
    await this.loom.close();
    const report = await this.#command.run('import');
    this.loom = await openLoom({ dataDir: this.dataDir });
    return Number(report['nodes_added']) + Number(report['blocks_added']) + Number(report['roots_added']);
  }

  async close(): Promise<void> {
    await this.loom.close();
    await this.emulator.close();
  }
}

type Check = (what: string, run: () => Promise<string>) => Promise<void>;

/** Lets the real Claude Code speak in Loom, and checks what comes of it. */
export async function tryClaudeLive(folder: string, program: string, version: string, check: Check): Promise<void> {
  const stage = await Stage.open(folder, program);
  const { loom } = stage;
  const say = (text: string): Answer => ({ said: [{ say: text }] });
  const bash = (command: string, id: string): Answer => ({
    said: [{ say: 'I run it.' }, { call: 'Bash', arguments: JSON.stringify({ command, description: 'x' }), id }],
  });
  const tag = `Claude Code ${version}, live`;
  try {
    await check(`${tag}: a call is approved, one is denied, and a question is answered`, async () => {
      const root = await stage.begin();
      const question = {
        questions: [
          {
            question: 'Which color?',
            header: 'Color',
            multiSelect: false,
            options: [
              { label: 'Red', description: 'fire' },
              { label: 'Blue', description: 'sky' },
            ],
          },
        ],
      };
      const { turn } = await stage.start(
        root,
        'Go.',
        bash('echo made > a.txt && cat a.txt', 't1'),
        bash('touch b.txt', 't2'),
        { said: [{ call: 'AskUserQuestion', arguments: JSON.stringify(question), id: 't3' }] },
        say('Done.'),
      );
      for (const decision of [
        { decision: 'approved' as const },
        { decision: 'denied' as const, text: 'Not that.' },
        { decision: 'answered' as const, answers: [{ chosen: ['Blue'] }] },
      ]) {
        const { node, arguments: exact } = await stage.waiting(root);
        await asked(loom.call('turn.decide', { node, arguments: exact, ...decision }));
      }
      const ended = await loom.engine.turns.wait(turn);
      const texts = (await stage.texts(await stage.leaf(root))).join('\n');
      for (const words of ['made', 'Not that.', '"Which color?"="Blue"', 'Done.'])
        if (!texts.includes(words)) throw new Error(`${words} is missing in: ${texts}`);
      if (ended !== 'done') throw new Error(`it ended as ${ended}`);
      return 'all three reached it';
    });
    await check(
      `${tag}: a plan is shown as one, and approved into another mode, in which the process is used again`,
      async () => {
        const root = await stage.begin('plan');
        const plan = { plan: '1. Make d.txt' };
        const write = { file_path: join(stage.work, 'd.txt'), content: 'made' };
        const { turn } = await stage.start(
          root,
          'Plan it.',
          { said: [{ call: 'ExitPlanMode', arguments: JSON.stringify(plan), id: 't8' }] },
          { said: [{ call: 'Write', arguments: JSON.stringify(write), id: 't9' }] },
          say('Made.'),
        );
        const { node, arguments: exact, ask } = await stage.waiting(root);
        if (!JSON.stringify(ask).includes('"modes":["ask","edit"]'))
          throw new Error(`it was asked as ${JSON.stringify(ask)}`);
        await asked(loom.call('turn.decide', { node, arguments: exact, decision: 'approved', mode: 'edit' }));
        // In this mode the change of a file is not asked about.
        const ended = await Promise.race([
          loom.engine.turns.wait(turn),
          stage.waiting(root).then(({ ask: more }) => `asked ${JSON.stringify(more)}`),
        ]);
        if (ended !== 'done' || !existsSync(join(stage.work, 'd.txt'))) throw new Error(`it ended as ${ended}`);
        const { config } = await asked(loom.call('root.get', { root }));
        if (config.approval_mode !== 'edit') throw new Error(`the mode is ${String(config.approval_mode)}`);
        const leaf = await stage.say(await stage.leaf(root), 'Go on.', say('Went on.'));
        const way = (await asked(loom.open(root)))
          .pathTo(leaf)
          .map(({ note }) => JSON.stringify(note?.['claude'] ?? '').match(/"continued":"([\w-]+)"/)?.[1])
          .findLast((each) => each !== undefined);
        return `the file was made, the conversation edits, and the next turn was ${way}`;
      },
    );
    await check(`${tag}: a stopped turn ends within 2 s, and the next one goes on`, async () => {
      const root = await stage.begin();
      const { turn } = await stage.start(root, 'Long.', {
        said: [{ say: 'This is ' }, { say: 'long.' }],
        failure: { kind: 'held', after: 'This is' },
      });
      await until('the first word', async () =>
        (await stage.texts(await stage.leaf(root))).some((text) => text.includes('This')) ? true : undefined,
      );
      const started = performance.now();
      await asked(loom.call('turn.abort', { root, turn }));
      await loom.engine.turns.wait(turn);
      const took = Math.round(performance.now() - started);
      if (took > 2_000) throw new Error(`it took ${took} ms`);
      stage.emulator.release();
      const leaf = await stage.say(await stage.leaf(root), 'Go on.', say('Went on.'));
      const texts = await stage.texts(leaf);
      if (texts.at(-1) !== 'Went on.') throw new Error(`the branch says: ${texts.join(' | ')}`);
      return `it took ${took} ms`;
    });
    await check(`${tag}: a message while it works is heard`, async () => {
      const root = await stage.begin();
      const { turn } = await stage.start(root, 'Work.', bash('touch c.txt', 't4'), say('I heard you.'));
      const { node, arguments: exact } = await stage.waiting(root);
      await asked(loom.call('turn.steer', { root, turn, content: 'Be quick.' }));
      await until('the message on its way', async () => (stage.emulator.requests.length > 0 ? true : undefined));
      await new Promise((resolve) => setTimeout(resolve, 300));
      await asked(loom.call('turn.decide', { node, arguments: exact, decision: 'approved' }));
      await loom.engine.turns.wait(turn);
      const texts = await stage.texts(await stage.leaf(root));
      if (texts.at(-2) !== 'Be quick.' || texts.at(-1) !== 'I heard you.') throw new Error(texts.join(' | '));
      const last = stage.emulator.requests.at(-1)?.body ?? '';
      if (!last.includes('Be quick.')) throw new Error('the model has not read it');
      return 'it stands before the answer, and the model read it';
    });
    await check(
      `${tag}: a branch is gone on with, also in its middle, and the model reads that branch alone`,
      async () => {
        const root = await stage.begin();
        const cold = await stage.time(root, 'One.', say('First answer.'));
        const first = cold.leaf;
        const warm = await stage.time(first, 'Two.', say('Second answer.'));
        const second = warm.leaf;
        const fork = await stage.say(first, 'Other two.', say('Other answer.'));
        const body = stage.emulator.requests.at(-1)?.body ?? '';
        if (!body.includes('First answer.') || !body.includes('Other two.'))
          throw new Error('the fork lacks what is above it');
        if (body.includes('Second answer.')) throw new Error('the fork holds the other branch');
        const third = await stage.say(second, 'Three.', say('Third answer.'));
        const again = stage.emulator.requests.at(-1)?.body ?? '';
        if (!again.includes('Second answer.') || again.includes('Other two.'))
          throw new Error('the first branch was not gone on with');
        const continued = (await asked(stage.loom.open(root)))
          .pathTo(third)
          .concat((await asked(stage.loom.open(root))).pathTo(fork))
          .map(({ note }) => JSON.stringify(note?.['claude'] ?? '').match(/"continued":"([\w-]+)"/)?.[1]);
        const [slow, quick] = [cold.firstWord, warm.firstWord].map(Math.round);
        const ratio = (warm.firstWord / cold.firstWord).toFixed(2);
        return `first word after ${slow} ms, of the second turn after ${quick} ms: ${ratio} of it; ways: ${continued.filter((each) => each !== undefined).join(', ')}`;
      },
    );
    await check(`${tag}: a branch of the demo is handed over, and after another model again`, async () => {
      const root = await stage.begin();
      const demo = async (parent: string, words: string): Promise<string> => {
        const { nodes } = await asked(
          loom.call('node.append', { parent, messages: [{ role: 'user', content: words }] }),
        );
        const { turns } = await asked(
          loom.call('turn.start', { node: nodes[0] ?? '', provider: 'demo', model: 'echo' }),
        );
        await loom.engine.turns.wait(turns[0] ?? '');
        return await stage.leaf(root);
      };
      const one = await demo(root, 'Told by the demo.');
      const two = await stage.say(one, 'Claude now.', say('Claude here.'));
      const three = await demo(two, 'The demo again.');
      const four = await stage.say(three, 'Claude again.', say('Back.'));
      const body = stage.emulator.requests.at(-1)?.body ?? '';
      const texts = await stage.texts(four);
      for (const text of texts.slice(0, -1))
        if (!body.includes(JSON.stringify(text).slice(1, -1))) throw new Error(`the model has not read: ${text}`);
      return `the model read all ${texts.length - 1} texts`;
    });
    await check(`${tag}: a sub-agent in the background goes on when the turn is over`, async () => {
      const root = await stage.begin();
      const lateWords = 'These words of the sub-agent are late.';
      let asksOfAgent = 0;
      stage.script.answer = (body) => {
        const { messages } = z.object({ messages: z.array(z.unknown()) }).parse(JSON.parse(body));
        const isOfAgent = JSON.stringify(messages[0]).includes('Look around, sub-agent.');
        if (!isOfAgent) return undefined;
        asksOfAgent += 1;
        // Its first words wait until the turn that has sent it out is over.
        return { said: [{ say: lateWords }], ...(asksOfAgent === 1 ? { failure: { kind: 'held' as const } } : {}) };
      };
      const sent = {
        description: 'Look around',
        prompt: 'Look around, sub-agent.',
        subagent_type: 'general-purpose',
        run_in_background: true,
      };
      await stage.say(
        root,
        'Send somebody.',
        { said: [{ call: 'Agent', arguments: JSON.stringify(sent), id: 't7' }] },
        say('Somebody is on the way.'),
        say('Somebody is back.'),
      );
      stage.emulator.release();
      const child = await until(
        'the conversation of the sub-agent',
        async () =>
          [...(await asked(loom.open(root))).nodes.values()].flatMap(({ blocks }) =>
            blocks.flatMap((block) => (block.type === 'conversation' ? [block.root] : [])),
          )[0],
      );
      const heard = async () => stage.texts(await stage.leaf(child));
      await until('the words of the sub-agent', async () => ((await heard()).includes(lateWords) ? true : undefined));
      await until('the turn that it begins', async () =>
        (await stage.texts(await stage.leaf(root))).includes('Somebody is back.') ? true : undefined,
      );
      const turns = [...(await asked(loom.open(child))).turns.values()].map(({ startedBy }) => startedBy ?? 'call');
      return `its words are in its own conversation, once; turns there: ${turns.join(', ')}`;
    });
    await check(`${tag}: importing its sessions afterwards adds nothing`, async () => {
      const added = await stage.imported();
      if (added !== 0) throw new Error(`${added} messages, blocks or conversations were added`);
      return 'no conversation, message or block';
    });
  } finally {
    await stage.close();
  }
}

async function until<T>(what: string, ask: () => Promise<T | undefined>): Promise<T> {
  const started = performance.now();
  while (performance.now() - started < 20_000) {
    const found = await ask();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`${what} did not come within 20 seconds`);
}

async function asked<T>(
  outcome: Promise<{ ok: true; value: T } | { ok: false; refusal: { reason: string } }>,
): Promise<T> {
  const answer = await outcome;
  if (answer.ok) return answer.value;
  throw new Error(`Loom refused: ${JSON.stringify(answer.refusal)}`);
}
