import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toolBlock } from '../content-block.ts';
import { viewsOfItem } from './item.ts';
import { hasFailed, readOutcome } from './outcome.ts';
import { toolsWithViews } from './table.ts';
import { findCaptures, readCaptures } from './testing/captures.ts';
import { viewsOfToolCall, viewsOfToolResult } from './tool-views.ts';

const folder = findCaptures();
const skip =
  folder === undefined && 'no captures of agent CLIs here: put them into ../shared/captures or set LOOM_CAPTURES';

test(
  '[VW70] all captured calls, results and items give valid blocks, and nearly all that should be shown are',
  { skip },
  () => {
    const inTable = new Set(toolsWithViews);
    const tally = new Map<string, { shown: number; all: number }>();
    let items = 0;
    for (const captured of readCaptures(folder ?? '')) {
      if (captured.kind === 'item') {
        const blocks = viewsOfItem(captured.item);
        for (const block of blocks) assert.deepEqual(toolBlock.parse(block), block, captured.source);
        items += blocks.length;
        continue;
      }
      const { call, result, source } = captured;
      const blocks = viewsOfToolResult(call, result);
      for (const block of [...blocks, ...viewsOfToolCall(call)])
        assert.deepEqual(toolBlock.parse(block), block, source);
      const outcome = readOutcome(result);
      // A result that carries nothing (Gemini's stream leaves file contents out) cannot be shown.
      if (!inTable.has(call.name) || outcome.failed || hasFailed(result.native) || outcome.text === '') continue;
      const row = tally.get(call.name) ?? { shown: 0, all: 0 };
      tally.set(call.name, { shown: row.shown + Math.min(1, blocks.length), all: row.all + 1 });
    }
    const rows = [...tally.values()];
    const all = rows.reduce((sum, row) => sum + row.all, 0);
    const shown = rows.reduce((sum, row) => sum + row.shown, 0);
    assert.ok(all > 100 && items > 50, `only ${all} results and ${items} items: are these the captures?`);
    assert.ok(shown / all >= 0.95, `${shown} of ${all} results have a view: ${JSON.stringify([...tally])}`);
    for (const name of ['Bash', 'Read', 'Edit', 'Write', 'exec_command', 'bash', 'run_shell_command']) {
      assert.equal(tally.get(name)?.shown, tally.get(name)?.all, name);
    }
  },
);
