import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isPlainObject } from '@loom/blocks';
import type { NodeState, Provider } from '@loom/kernel';
import { openLoom } from '@loom/loom';
import type { Loom } from '@loom/loom';
import { startEmulator } from '@loom/providers/testing';
import type { Emulator, Script } from '@loom/providers/testing';
import type { AgentProgram } from './agent-program.ts';
import { codexFor, systemClock } from './codex-setup.ts';
import { asked } from './conversations.ts';
import { LoomCommand } from './loom-command.ts';

type Check = (what: string, run: () => Promise<string>) => Promise<void>;

/** Tries Codex as a provider: Loom drives the real program, which talks to an emulated model. */
export async function tryCodexLive(
  program: AgentProgram,
  { path, version, folder }: { path: string; version: string; folder: string },
  check: Check,
): Promise<void> {
  const live = await liveRun(program, path, join(folder, `live-${version}`));
  const name = `Codex ${version} live`;
  try {
    await check(`${name}: what it offers`, () => live.offers());
    await check(`${name}: words, a tool, approve, deny`, () => live.tools());
    await check(`${name}: resume with a warm process, and its file adds nothing`, () => live.resume());
    await check(`${name}: fork in the middle`, () => live.fork());
    await check(`${name}: cancel`, () => live.cancel());
    await check(`${name}: steer`, () => live.steer());
    await check(`${name}: changes of files, approve, deny`, () => live.changes());
    await check(`${name}: a branch that began on the demo provider`, () => live.other());
    await check(`${name}: a failure is told once`, () => live.fail());
    await check(`${name}: killed in the middle of a turn`, () => live.killed());
    await check(`${name}: importing all of it adds no message`, () => live.importAll());
  } finally {
    await live.close();
  }
}

/** Tries Codex as if it had no app-server: Loom falls back to `codex exec`. */
export async function tryCodexExec(
  program: AgentProgram,
  { path, version, folder }: { path: string; version: string; folder: string },
  check: Check,
): Promise<void> {
  const place = join(folder, `exec-${version}`);
  mkdirSync(place, { recursive: true });
  const old = join(place, 'codex');
  const refusal = `echo "error: unrecognized subcommand 'app-server'" >&2; exit 2`;
  writeFileSync(old, `#!/bin/sh\nif [ "$1" = app-server ]; then ${refusal}; fi\nexec '${path}' "$@"\n`, {
    mode: 0o755,
  });
  const live = await liveRun(program, old, place);
  const name = `Codex ${version} without app-server`;
  try {
    await check(`${name}: what it offers`, () => live.offers());
    await check(`${name}: words and tools, without leave to change anything`, () => live.unasked());
    await check(`${name}: resume`, () => live.resume());
    await check(`${name}: a branch in the middle`, () => live.fork());
    await check(`${name}: a branch that began on the demo provider`, () => live.other());
    await check(`${name}: a failure is told once`, () => live.fail());
    await check(`${name}: importing all of it adds no message`, () => live.importAll());
    // Codex goes on until it is ended, and its file may say more than Loom has heard: this comes last.
    await check(`${name}: cancel`, () => live.cancel(true));
  } finally {
    await live.close();
  }
}

async function liveRun(program: AgentProgram, path: string, folder: string): Promise<LiveRun> {
  const [home, work, dataDir] = [join(folder, 'home'), join(folder, 'work'), join(folder, 'data')];
  for (const each of [home, work]) mkdirSync(each, { recursive: true });
  const emulator = await startEmulator(program.wire, script);
  program.prepare({ home, work, emulator });
  const command = new LoomCommand(home, dataDir);
  return new LiveRun({ dataDir, ...codexFor(path, home, work), path, work, home, emulator, command });
}

let calls = 0;
const callOf = (cmd: string, more: object = {}) => ({
  call: 'exec_command',
  arguments: JSON.stringify({ cmd, ...more }),
  id: `call_live${(calls += 1)}`,
});

/** A patch, in the form in which every version takes one. */
const patchOf = (file: string) =>
  callOf(`apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: ${file}\n+made\n*** End Patch\nEOF\n`);

/** The model: does what the last message names. */
const script: Script = ({ said, rounds }) => {
  const escalated = { sandbox_permissions: 'require_escalated', justification: 'May I?' };
  if (said === 'speak for ever')
    return { said: [{ say: 'Half ' }, { say: 'a sentence.' }], failure: { kind: 'held', after: 'Half' } };
  if (said === 'use tools') {
    if (rounds === 0)
      return { said: [{ think: 'Let me see.' }, { say: 'I look.' }, callOf('echo hello from the tool')] };
    if (rounds === 1) return { said: [callOf('touch approved.txt', escalated)] };
    if (rounds === 2) return { said: [callOf('touch denied.txt', escalated)] };
    return { said: [{ say: 'All done.' }] };
  }
  if (said === 'change files') {
    if (rounds === 0) return { said: [patchOf('added.txt')] };
    if (rounds === 1) return { said: [patchOf('denied-patch.txt')] };
    return { said: [{ say: 'Changed.' }] };
  }
  if (said === 'wait long') return { said: [callOf('sleep 30')] };
  if (said === 'work a while' && rounds === 0) return { said: [callOf('sleep 2; echo worked')] };
  if (said === 'fail') return { said: [], failure: { kind: 'status', status: 400, message: 'The emulator refuses.' } };
  return { said: [{ say: `Heard: ${said}` }] };
};

interface LivePlace {
  readonly dataDir: string;
  readonly codex: Provider;
  readonly close: () => Promise<void>;
  readonly path: string;
  readonly work: string;
  readonly home: string;
  readonly emulator: Emulator;
  readonly command: LoomCommand;
}

class LiveRun {
  #loom: Loom | undefined;
  #root = '';
  #firstTurnEnd = '';
  readonly #place: LivePlace;

  constructor(place: LivePlace) {
    this.#place = place;
  }

  async offers(): Promise<string> {
    const offer = await this.#place.codex.offers?.();
    if (offer?.state.type !== 'installed') throw new Error(JSON.stringify(offer));
    return `version ${offer.state.version ?? ''}, ${offer.models?.length ?? 0} models`;
  }

  async tools(): Promise<string> {
    this.#root = await this.#begin('ask');
    const started = performance.now();
    const turn = await this.#say('use tools');
    const answers: string[] = [];
    const ended = this.#wait(turn, async (node) => {
      const { preview = [], rules = [] } = node.ask ?? {};
      const [shown] = preview;
      const text = shown?.type === 'command' ? shown.command : JSON.stringify(preview);
      const isFine = !text.includes('denied.txt');
      answers.push(`${isFine ? 'approved' : 'denied'} ${text} (${rules.length} rules)`);
      const path = await this.#state();
      const call = [...path.nodes.values()]
        .flatMap(({ blocks }) => blocks)
        .find((block) => block.type === 'tool-use' && block.id === node.tool_call_id);
      const args = call?.type === 'tool-use' ? (call.arguments ?? JSON.stringify(call.parameters)) : '{}';
      await asked(
        (await this.#open()).call('turn.decide', {
          node: node.id,
          decision: isFine ? 'approved' : 'denied',
          arguments: args,
        }),
      );
    });
    await ended;
    const firstTurn = performance.now() - started;
    if (!existsSync(join(this.#place.work, 'approved.txt')))
      throw new Error(`the approved command did not run: ${answers.join('; ')}`);
    if (existsSync(join(this.#place.work, 'denied.txt'))) throw new Error('the denied command ran');
    const texts = await this.#texts();
    for (const words of ['I look.', 'All done.'])
      if (!texts.includes(words)) throw new Error(`missing: ${words}; ${texts.join('|')}`);
    const states = [...(await this.#state()).nodes.values()].flatMap(({ tool }) => (tool === undefined ? [] : [tool]));
    if (!states.includes('denied')) throw new Error(`no call is denied: ${states.join(', ')}`);
    return `${answers.join('; ')}; calls ended as ${states.join(', ')}; ${Math.round(firstTurn)} ms`;
  }

  /** Questions about changes of files come with their diff. */
  async changes(): Promise<string> {
    this.#root = await this.#begin('ask');
    const shown: string[] = [];
    await this.#wait(await this.#say('change files'), async (node) => {
      const preview = JSON.stringify(node.ask?.preview ?? []);
      const isFine = !preview.includes('denied-patch.txt');
      shown.push(preview.includes('"file-change"') ? 'a diff' : preview.slice(0, 80));
      const call = [...(await this.#state()).nodes.values()]
        .flatMap(({ blocks }) => blocks)
        .find((block) => block.type === 'tool-use' && block.id === node.tool_call_id);
      const args = call?.type === 'tool-use' ? (call.arguments ?? JSON.stringify(call.parameters)) : '{}';
      const decision = isFine ? ('approved' as const) : ('denied' as const);
      await asked((await this.#open()).call('turn.decide', { node: node.id, decision, arguments: args }));
    });
    const { work } = this.#place;
    if (!existsSync(join(work, 'added.txt'))) throw new Error(`the approved change was not made: ${shown.join('; ')}`);
    if (existsSync(join(work, 'denied-patch.txt'))) throw new Error('the denied change was made');
    return `two questions, each with ${shown.join(' and ')}`;
  }

  /** The mode in which a person wants to be asked, where none can be. */
  async unasked(): Promise<string> {
    this.#root = await this.#begin('ask');
    const started = performance.now();
    await this.#wait(await this.#say('use tools'));
    const time = Math.round(performance.now() - started);
    for (const file of ['approved.txt', 'denied.txt'])
      if (existsSync(join(this.#place.work, file))) throw new Error(`${file} was written unasked`);
    const texts = await this.#texts();
    for (const words of ['I look.', 'All done.'])
      if (!texts.includes(words)) throw new Error(`missing: ${words}; ${texts.join('|')}`);
    const states = [...(await this.#state()).nodes.values()].flatMap(({ tool }) => (tool === undefined ? [] : [tool]));
    if (states.length !== 3) throw new Error(`calls: ${states.join(', ')}`);
    return `calls ended as ${states.join(', ')}; ${time} ms`;
  }

  async resume(): Promise<string> {
    this.#firstTurnEnd = await this.#leaf();
    const before = this.#place.emulator.requests.length;
    const started = performance.now();
    await this.#wait(await this.#say('go on'));
    const time = Math.round(performance.now() - started);
    const body = this.#place.emulator.requests[before]?.body ?? '';
    for (const words of ['All done.', 'hello from the tool'])
      if (!body.includes(words)) throw new Error(`the request lacks: ${words}`);
    return `the model was shown the turn before, ${time} ms; ${await this.#continued()}`;
  }

  async fork(): Promise<string> {
    const before = this.#place.emulator.requests.length;
    await this.#wait(await this.#say('another way', this.#firstTurnEnd));
    const body = this.#place.emulator.requests[before]?.body ?? '';
    if (!body.includes('All done.')) throw new Error('the request lacks the turn before');
    if (body.includes('Heard: go on')) throw new Error('the request has the other branch');
    return this.#continued();
  }

  /** `isNew`: in a conversation of its own. A message that was never answered is said again with the next one. */
  async cancel(isNew = false): Promise<string> {
    if (isNew) this.#root = await this.#begin('sandbox');
    const turn = await this.#say('wait long');
    await this.#until((node) =>
      node.blocks.some((block) => block.type === 'tool-use' && JSON.stringify(block.parameters).includes('sleep 30')),
    );
    const started = performance.now();
    const loom = await this.#open();
    const waiting = this.#wait(turn);
    await asked(loom.call('turn.abort', { root: this.#root, turn }));
    await waiting;
    const time = performance.now() - started;
    if (time > 2_000) throw new Error(`it took ${Math.round(time)} ms`);
    return `over after ${Math.round(time)} ms`;
  }

  async steer(): Promise<string> {
    this.#root = await this.#begin('sandbox');
    const turn = await this.#say('work a while');
    await this.#until((node) => node.blocks.some((block) => block.type === 'tool-use'));
    await asked((await this.#open()).call('turn.steer', { root: this.#root, turn, content: 'and hear this' }));
    await this.#wait(turn);
    const texts = await this.#texts();
    if (!texts.includes('and hear this')) throw new Error('the message is not in the branch');
    if (!this.#place.emulator.requests.some(({ body }) => body.includes('worked') && body.includes('and hear this')))
      throw new Error('the model did not hear it in the turn');
    return `heard within the turn: ${texts.slice(-2).join(' | ')}`;
  }

  async other(): Promise<string> {
    this.#root = await this.#begin('edit');
    await this.#wait(await this.#say('echo first words', undefined, 'demo', 'echo'));
    const before = this.#place.emulator.requests.length;
    await this.#wait(await this.#say('second words'));
    const body = this.#place.emulator.requests[before]?.body ?? '';
    if (!body.includes('first words')) throw new Error('the request lacks what the demo said');
    return this.#continued();
  }

  async fail(): Promise<string> {
    this.#root = await this.#begin('edit');
    await this.#wait(await this.#say('fail'));
    const errors = [...(await this.#state()).nodes.values()].flatMap(({ blocks }) =>
      blocks.flatMap((block) => (block.type === 'error' ? [block.message] : [])),
    );
    if (errors.length !== 1) throw new Error(`errors: ${JSON.stringify(errors)}`);
    return errors[0] ?? '';
  }

  /** Another Loom is killed while the model speaks; Codex must end with it. */
  async killed(): Promise<string> {
    await this.#loom?.close();
    this.#loom = undefined;
    const { dataDir, path, home, work } = this.#place;
    const doomed = spawn(process.execPath, [join(import.meta.dirname, 'doomed-turn.ts'), dataDir, path, home, work], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await new Promise<void>((resolve, reject) => {
      doomed.stdout.on('data', (piece: Buffer) => void (piece.toString().includes('running') && resolve()));
      doomed.on('close', () => reject(new Error('it ended too early')));
    });
    doomed.kill('SIGKILL');
    const started = performance.now();
    while (isRunning(`${path}\0app-server`)) {
      if (performance.now() - started > 5_000) throw new Error('Codex goes on running');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    this.#place.emulator.release();
    return `Codex ended ${Math.round(performance.now() - started)} ms after Loom was killed`;
  }

  async importAll(): Promise<string> {
    await this.#loom?.close();
    this.#loom = undefined;
    const report = await this.#place.command.run('import', join(this.#place.home, '.codex'), '--again');
    const { roots_added: roots, nodes_added: nodes, blocks_added: blocks } = report;
    if (roots !== 0 || nodes !== 0)
      throw new Error(
        `added ${String(roots)} conversations, ${String(nodes)} messages, ${String(blocks)} blocks: ${JSON.stringify(report).slice(0, 600)}`,
      );
    return `0 conversations, 0 messages, ${String(blocks)} blocks`;
  }

  async close(): Promise<void> {
    await this.#loom?.close();
    await this.#place.close();
    await this.#place.emulator.close();
  }

  async #open(): Promise<Loom> {
    this.#loom ??= await openLoom({
      dataDir: this.#place.dataDir,
      providers: [...(await demoProviders()), this.#place.codex],
    });
    return this.#loom;
  }

  async #begin(approval_mode: 'ask' | 'edit' | 'sandbox'): Promise<string> {
    const { root } = await asked(
      (await this.#open()).call('root.create', { config: { directory: this.#place.work, approval_mode } }),
    );
    return root;
  }

  async #say(words: string, parent?: string, provider = 'codex', model = 'default'): Promise<string> {
    const loom = await this.#open();
    const below = parent ?? (await this.#leaf());
    const { nodes } = await asked(
      loom.call('node.append', { parent: below, messages: [{ role: 'user', content: words }] }),
    );
    const { turns } = await asked(loom.call('turn.start', { node: nodes[0] ?? '', provider, model }));
    return turns[0] ?? '';
  }

  /** Waits for the end of a turn; `decide` answers its questions. */
  async #wait(turn: string, decide?: (node: NodeState) => Promise<void>): Promise<void> {
    const seen = new Set<string>();
    const deadline = Date.now() + 30_000;
    while (Date.now() < deadline) {
      const state = await this.#state();
      for (const node of state.nodes.values()) {
        if (node.ask === undefined || seen.has(node.id) || decide === undefined) continue;
        seen.add(node.id);
        await decide(node);
      }
      if (!state.liveTurns.has(turn)) return;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    throw new Error('the turn did not end within 30 seconds');
  }

  async #until(holds: (node: NodeState) => boolean): Promise<void> {
    const deadline = Date.now() + 15_000;
    while (Date.now() < deadline) {
      const [leaf] = (await this.#state()).recentLeaves(1);
      const path = (await this.#state()).pathTo(leaf?.id ?? '');
      if (path.slice(-2).some(holds)) return;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    throw new Error('it did not come within 15 seconds');
  }

  async #state() {
    return asked((await this.#open()).open(this.#root));
  }

  async #leaf(): Promise<string> {
    return (await this.#state()).recentLeaves(1)[0]?.id ?? this.#root;
  }

  async #texts(): Promise<string[]> {
    const state = await this.#state();
    return state
      .pathTo(await this.#leaf())
      .flatMap(({ blocks }) => blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])));
  }

  async #continued(): Promise<string> {
    const state = await this.#state();
    const note = state.pathTo(await this.#leaf()).findLast((node) => node.note?.['codex'] !== undefined)?.note?.[
      'codex'
    ];
    return `the branch was ${isPlainObject(note) ? String(note['continued']) : 'not gone on with'}`;
  }
}

/** Returns true if a process with such a command line runs. */
function isRunning(command: string): boolean {
  return readdirSync('/proc').some((pid) => {
    if (!/^\d+$/u.test(pid)) return false;
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith(command);
    } catch {
      return false;
    }
  });
}

async function demoProviders() {
  const { createDemoProvider } = await import('@loom/providers/demo');
  return [createDemoProvider({ clock: systemClock })];
}
