// The program that `run.ts` starts in a separate network. Prints a line for everything that it has tried.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isPlainObject } from '@loom/blocks';
import { startEmulator } from '@loom/providers/testing';
import { agentPrograms, runProgram } from './agent-program.ts';
import type { AgentProgram, Place } from './agent-program.ts';
import { tryClaudeLive } from './claude-live.ts';
import { tryCodexExec, tryCodexLive } from './codex-live.ts';
import { branchOf, demoConversation } from './conversations.ts';
import { z } from 'zod';
import { tryHandovers } from './handovers.ts';
import { LoomCommand } from './loom-command.ts';

const folder = mkdtempSync(join(tmpdir(), 'loom-real-'));
let failures = 0;

try {
  const installed = z.array(z.object({ version: z.string(), path: z.string() })).min(1);
  const { claude, codex } = z
    .object({ claude: installed, codex: installed })
    .parse(JSON.parse(process.env['LOOM_REAL_PROGRAMS'] ?? '{}'));
  const [oldClaude, oldCodex] = [claude[0]?.path ?? '', codex[0]?.path ?? ''];
  const programs = agentPrograms({ claude: oldClaude, codex: oldCodex });
  for (const program of programs) await tryProgram(program);
  for (const { path, version } of claude) await tryClaudeLive(join(folder, `claude-${version}`), path, version, check);
  const codexProgram = programs.find(({ source }) => source === 'codex');
  if (codexProgram !== undefined) {
    for (const { path, version } of codex) {
      await tryCodexLive(codexProgram, { path, version, folder }, check);
      await tryCodexExec(codexProgram, { path, version, folder }, check);
    }
    const newest = { claude: claude.at(-1)?.path ?? '', codex: codex.at(-1)?.path ?? '' };
    await tryHandovers(join(folder, 'handovers'), newest, codexProgram, check);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = failures === 0 ? 0 : 1;

async function tryProgram(program: AgentProgram): Promise<void> {
  const [home, work] = ['home', 'work'].map((name) => join(folder, program.source, name));
  const dataDir = join(folder, program.source, 'data');
  if (home === undefined || work === undefined) return;
  for (const each of [home, work]) mkdirSync(each, { recursive: true });
  let answers = 0;
  let isHeld = false;
  const emulator = await startEmulator(program.wire, () => ({
    said: [{ say: `Emulated answer ${(answers += 1)}.` }],
    ...(isHeld ? { failure: { kind: 'held' as const } } : {}),
  }));
  const place: Place = { home, work, emulator };
  const loom = new LoomCommand(home, dataDir);
  program.prepare(place);
  try {
    const { root, node, texts } = await demoConversation(dataDir);
    const exported = await loom.run('export', node, '--format', program.source, '--directory', work);
    const session = isPlainObject(exported['session']) ? String(exported['session']['id']) : '';
    await check(`${program.name} goes on with a branch that began on the demo provider`, async () => {
      await runProgram(program, place, 'Go on from Loom.', session);
      const request = emulator.requests.find(({ body }) => body.includes('Go on from Loom.'))?.body;
      if (request === undefined) throw new Error('no request came to the model');
      for (const text of texts) {
        if (!request.includes(JSON.stringify(text).slice(1, -1)))
          throw new Error(`the request lacks: ${text.slice(0, 80)}`);
      }
      return `the request held all ${texts.length} texts of the branch`;
    });
    await check(`what ${program.name} said then comes back to the same branch`, async () => {
      const report = await loom.run('import', String(exported['file']));
      const { roots_added: roots, nodes_added: nodes } = report;
      if (roots !== 0) throw new Error(`${String(roots)} conversations were made`);
      const branch = await branchOf(dataDir, root);
      if (!branch.ids.includes(node)) throw new Error('the new messages are not below the branch');
      for (const words of [...texts, 'Go on from Loom.', 'Emulated answer 1.']) {
        if (!branch.texts.includes(words)) throw new Error(`the branch lacks: ${words.slice(0, 80)}`);
      }
      const again = await loom.run('import', String(exported['file']), '--again');
      if (again['nodes_added'] !== 0 || again['blocks_added'] !== 0) throw new Error('a second import added something');
      return `${String(nodes)} messages were added to it, no conversation was made, and a second import added nothing`;
    });
    await check(`a session of ${program.name} is followed while it runs`, async () => {
      isHeld = true;
      return await follow(program, place, loom);
    });
  } catch (error) {
    failures += 1;
    console.log(`FAILED  ${program.name}: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    await emulator.close();
  }
}

/** Follows a session. The model holds its answer back until Loom shows the question. */
async function follow(program: AgentProgram, place: Place, loom: LoomCommand): Promise<string> {
  const following = loom.start('import', '--follow');
  try {
    await new Promise<void>((resolve, reject) => {
      following.stderr?.on('data', (piece: Buffer) => void (piece.toString().includes('Following') && resolve()));
      following.on('close', (code) => reject(new Error(`loom import --follow ended with ${code}`)));
    });
    const running = runProgram(program, place, 'Weave a scarf, please.');
    await Promise.race([place.emulator.held, running]);
    const before = await until('what was asked', () => loom.call('kernel.search', { query: 'Weave a scarf' }));
    place.emulator.release();
    await running;
    const after = await until('the answer', () => loom.call('kernel.search', { query: 'Emulated answer 2' }));
    return `what was asked was there after ${before} ms, before the model answered; the answer ${after} ms after the end`;
  } finally {
    following.kill('SIGINT');
    await new Promise((resolve) => following.on('close', resolve));
  }
}

async function until(what: string, ask: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  while (performance.now() - started < 20_000) {
    const found = JSON.stringify(await ask().catch(() => ({})));
    if (/"(?:items|matches|blocks|results)":\[\{/.test(found)) return Math.round(performance.now() - started);
  }
  throw new Error(`${what} did not come within 20 seconds`);
}

async function check(what: string, run: () => Promise<string>): Promise<void> {
  try {
    console.log(`passed  ${what}: ${await run()}.`);
  } catch (error) {
    failures += 1;
    console.log(`FAILED  ${what}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
