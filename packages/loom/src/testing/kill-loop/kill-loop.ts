import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { blocksWithoutTurn, LoomEngine } from '@loom/kernel';
import type { RootState } from '@loom/kernel';
import { openSqliteStore } from '@loom/stores/sqlite';
import { createSortableIds } from '../../runtime/sortable-ids.ts';
import { acknowledgement, word } from './acknowledgement.ts';
import type { Acknowledgement } from './acknowledgement.ts';
import { busyWriterProgram } from './busy-writer.ts';

/** What a loop of kills found. */
export interface KillReport {
  kills: number;
  acknowledged: number;
  /** What was acknowledged and is not there, or is there and should not be. */
  findings: string[];
}

export interface KillLoopOptions {
  directory: string;
  kills: number;
  /** A number from 0 up to a limit; decides when a writer is killed. */
  below: (limit: number) => number;
  /** What is wrong on purpose: acknowledgements that come too early, or nobody who closes what was left open. */
  fault?: 'early' | 'unrecovered';
}

/**
 * Starts a process that writes as fast as it can, kills it at some moment, and looks whether everything that it had acknowledged
 * is there and nothing is left open; again and again on the same data folder.
 */
export async function runKillLoop({ directory, kills, below, fault }: KillLoopOptions): Promise<KillReport> {
  const report: KillReport = { kills: 0, acknowledged: 0, findings: [] };
  const streamed = new Map<string, string>();
  const said = new Map<string, string>();
  let pair = 0;
  for (; report.kills < kills; report.kills += 1) {
    const heard = await killWriter(directory, 5 + below(300), fault);
    report.acknowledged += heard.length;
    let root: string | undefined;
    for (const told of heard) {
      if (told.type === 'ready') root = told.root;
      else if (told.type === 'said') said.set(told.node, told.text);
      else if (told.type === 'pair') pair = Math.max(pair, told.number);
      else streamed.set(told.block, (streamed.get(told.block) ?? '') + told.text);
    }
    if (root === undefined) continue;
    const state = await openAfterCrash(directory, root, fault !== 'unrecovered');
    const findings = [
      ...missingMessages(state, said),
      ...missingWords(state, streamed),
      ...wrongPair(state, pair),
      ...leftOpen(state),
    ];
    report.findings.push(...findings.map((finding) => `after kill ${report.kills + 1}: ${finding}`));
    if (findings.length > 0) break;
  }
  return report;
}

/** Everything that a writer acknowledged until it was killed, some milliseconds after it was ready. */
async function killWriter(
  directory: string,
  milliseconds: number,
  fault: string | undefined,
): Promise<Acknowledgement[]> {
  const child = spawn(process.execPath, [busyWriterProgram, directory, ...(fault === undefined ? [] : [fault])], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaint += text));
  const heard: Acknowledgement[] = [];
  const exited = once(child, 'exit');
  const lines = createInterface({ input: child.stdout });
  const closed = once(lines, 'close');
  const ready = new Promise<void>((resolve) => {
    lines.on('line', (line) => {
      // The last one may have been cut off.
      const told = line.endsWith('}') ? acknowledgement.parse(JSON.parse(line)) : undefined;
      if (told !== undefined) heard.push(told);
      if (told?.type === 'ready') resolve();
    });
  });
  await Promise.race([ready, exited]);
  await Promise.race([delay(milliseconds), exited]);
  child.kill('SIGKILL');
  await Promise.all([exited, closed]);
  if (child.signalCode !== 'SIGKILL') throw new Error(`the writer ended by itself: ${complaint}`);
  return heard;
}

/** The conversation as whoever comes next finds it. */
async function openAfterCrash(directory: string, root: string, recovers: boolean): Promise<RootState> {
  const store = await openSqliteStore({ directory });
  const ids = createSortableIds();
  const clock = { now: Date.now, after: () => () => {} };
  const hash = { hex: (text: string) => String(text.length) };
  const options = { store, clock, ids, hash, providers: [], tools: [], holder: 'looker', exclusive: true };
  const engine = new LoomEngine(options);
  if (recovers) await engine.recover(root);
  const log = engine.forest.log(root);
  const state = await log.state();
  const whole = await new LoomEngine({ ...options, snapshotEvery: Infinity }).forest.log(root).state();
  if (whole.seq !== state.seq || whole.nodes.size !== state.nodes.size) throw new Error('the snapshot is not the log');
  await engine.close();
  await store.close();
  return state;
}

function missingMessages(state: RootState, said: ReadonlyMap<string, string>): string[] {
  return [...said].flatMap(([node, text]) => {
    const [block] = state.nodes.get(node)?.blocks ?? [];
    return block?.type === 'text' && block.text === text ? [] : [`${node} should say ${JSON.stringify(text)}`];
  });
}

function missingWords(state: RootState, streamed: ReadonlyMap<string, string>): string[] {
  return [...streamed].flatMap(([id, text]) => {
    const block = state.block(id);
    const found = block?.type === 'text' ? block.text : '';
    if (!found.startsWith(text)) return [`${id} should begin with ${text.length} characters that it was heard to say`];
    return isSpoken(found) ? [] : [`${id} has a hole`];
  });
}

/** Whether a text is the beginning of what the model says. */
function isSpoken(text: string): boolean {
  let whole = '';
  for (let index = 0; whole.length < text.length; index += 1) whole += word(index);
  return whole.startsWith(text);
}

function wrongPair(state: RootState, acknowledged: number): string[] {
  const pairs = [...state.nodes.values()].flatMap(({ blocks }) => {
    const [block] = blocks;
    return block?.type === 'text' && block.text.startsWith('pair ') ? [block.text] : [];
  });
  return pairs.flatMap((text) => {
    const [one, two] = text.split('\n');
    if (one !== two) return [`half of a batch is there: ${JSON.stringify(text)}`];
    return Number(one?.slice(5)) >= acknowledged ? [] : [`the pair is at ${one}, but ${acknowledged} was acknowledged`];
  });
}

function leftOpen(state: RootState): string[] {
  const running = [...state.nodes.values()].flatMap(({ blocks }) =>
    blocks.flatMap(({ block_id: id, status }) => (status === 'running' ? [`${id} is still running`] : [])),
  );
  const turns = [...state.liveTurns].map((turn) => `${turn} is still open`);
  return [...running, ...turns, ...blocksWithoutTurn(state).map((id) => `${id} has no turn`)];
}
