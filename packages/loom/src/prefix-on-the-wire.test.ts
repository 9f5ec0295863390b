import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { isPlainObject } from '@loom/blocks';
import { STORE_KINDS } from '@loom/data-folder/store-kind';
import { conversationText, emulatedProviders, playScenarios, startEmulator } from '@loom/providers/testing';
import type { Emulator } from '@loom/providers/testing';
import { modelTurnsProgram } from './testing/model-turns/program.ts';
import type { ModelTurnsTask } from './testing/model-turns/program.ts';

/** The messages before the process ends, and those of the next one. */
const firstPrompts = ['Think first.', 'What is the weather in Oslo and in Rome?'];
const laterPrompts = ['Search for pixels.', 'Say hello.'];

/** One conversation in its own folder, and everything that its model was sent. */
const cases = STORE_KINDS.flatMap((storeKind) => emulatedProviders.map((provider) => ({ storeKind, provider })));
const emulators = new Map<(typeof cases)[number], Emulator>();
/** The number of requests the first process has made. */
const counts = new Map<(typeof cases)[number], number>();

const home = mkdtempSync(join(tmpdir(), 'loom-'));

before(async () => {
  const folders: ModelTurnsTask['folders'] = [];
  for (const [index, one] of cases.entries()) {
    const emulator = await startEmulator(one.provider.wire, playScenarios);
    emulators.set(one, emulator);
    const { storeKind, provider } = one;
    folders.push({ dataDir: join(home, `${index}`), storeKind, provider: provider.name, url: emulator.url });
  }
  await runTurns({ folders, prompts: firstPrompts });
  for (const one of cases) counts.set(one, emulators.get(one)?.requests.length ?? 0);
  await runTurns({ folders, prompts: laterPrompts });
});

after(async () => {
  for (const emulator of emulators.values()) await emulator.close();
  rmSync(home, { recursive: true, force: true });
});

for (const one of cases) {
  const { storeKind, provider } = one;
  test(`[PV51] each request begins with the bytes of the one before, also after a restart: ${provider.name}, ${storeKind}`, () => {
    const requests = emulators.get(one)?.requests ?? [];
    // Thinking, two rounds of tools; then, by another process, a search and a greeting.
    assert.equal(counts.get(one), 3);
    assert.equal(requests.length, 5);
    const texts = requests.map((request) => conversationText(provider.wire, request));
    for (const [index, text] of texts.entries()) {
      const earlier = texts[index - 1] ?? '';
      assert.ok(text.length > earlier.length && text.startsWith(earlier), `request ${index}:\n${earlier}\n${text}`);
    }
    assert.equal(new Set(requests.map(({ json }) => headOf(json))).size, 1);
  });
}

/** Returns the head of every request of the conversation, beside its messages. */
function headOf(json: unknown): string {
  assert.ok(isPlainObject(json));
  const { system, systemInstruction, tools } = json;
  return JSON.stringify([system, systemInstruction, tools]);
}

/** Lets another process talk, and waits for its end. */
async function runTurns(task: ModelTurnsTask): Promise<void> {
  const child = spawn(process.execPath, [modelTurnsProgram, JSON.stringify(task)], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  await once(child, 'exit');
  assert.equal(child.exitCode, 0);
}
