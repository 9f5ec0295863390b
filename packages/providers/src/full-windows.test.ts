import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fillWindows, windowModels } from '@loom/providers/testing';

/** Small enough that a thinking budget can exceed the rest of the window. */
const contextWindow = 8_192;

for (const [wire, models] of Object.entries(windowModels)) {
  test(`[PV61] ten windows in a row leave room for every answer: ${wire}`, async () => {
    for (const model of models) {
      const isThinking = model !== 'chat/gpt-4o';
      for (const settings of isThinking ? [{}, { reasoning: 'high' }] : [{}]) {
        const caps = model.startsWith('local') ? { contextWindow } : { contextWindow, maxOutput: 64_000 };
        const { problems, summaries, requests } = await fillWindows(wire, model, { caps, windows: 10, settings });
        assert.deepEqual(problems, [], `${model} ${JSON.stringify(settings)}`);
        assert.ok(summaries === 10 && requests > 20, `${model}: ${summaries} summaries, ${requests} requests`);
      }
    }
  });
}
