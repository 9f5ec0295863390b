import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toolBlock } from '@loom/blocks';
import type { PlainObject } from '@loom/blocks';
import { anyParameters } from '@loom/blocks/testing';
import type { Tool, ToolInvocation } from '@loom/kernel';
import * as fc from 'fast-check';
import { contextWith } from './streams.ts';
import { runTool } from './tool-results.ts';

/** The inputs of a tool's contract test. */
export interface ToolMaterial {
  /** Parameters that it can use. */
  samples: readonly PlainObject[];
  /** True if it may be run with any parameters: not if it has side effects. */
  isHarmless?: boolean;
  /** Makes the tool so that it never ends on its own, as with a clock that stands still. Default: `make`. */
  makeHeld?: () => Tool;
}

/** Tests the promises of every tool: the rules TL1 … of docs/spec/providers.md. */
export function testToolContract(
  name: string,
  make: () => Tool,
  { samples, isHarmless = false, makeHeld = make }: ToolMaterial,
): void {
  const invocationOf = (parameters: PlainObject): ToolInvocation => ({
    id: 'call-1',
    name: make().name,
    parameters: structuredClone(parameters),
    arguments: JSON.stringify(parameters),
  });
  const context = () => contextWith(new AbortController().signal, 'an answer');

  test(`[TL1] ${name}: it is described by a name, a sentence and the schema of an object`, () => {
    const tool = make();
    assert.match(tool.name, /^[\w.-]+$/u);
    assert.notEqual(tool.description.trim(), '');
    assert.equal(tool.parameters['type'], 'object');
  });

  test(`[TL2] ${name}: any parameters are prepared, by a permission and blocks that can be kept`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.constantFrom({}, ...samples), anyParameters), async (parameters) => {
        const { permission, preview = [] } = await make().prepare(invocationOf(parameters), context());
        assert.ok(['run', 'ask', 'question', 'deny'].includes(permission));
        for (const block of preview) assert.deepEqual(toolBlock.parse(block), block);
      }),
      { numRuns: 50 },
    );
  });

  test(`[TL3] ${name}: results are blocks that can be kept, and calls are not changed`, async () => {
    const tried = isHarmless ? [{}, ...samples] : samples;
    for (const parameters of tried) {
      const invocation = invocationOf(parameters);
      const before = JSON.stringify(invocation);
      const outcome = await runTool(make(), invocation, context()).catch(() => ({ content: [] }));
      for (const block of outcome.content) assert.deepEqual(toolBlock.parse(block), block);
      assert.equal(JSON.stringify(invocation), before);
    }
  });

  test(`[TL4] ${name}: once it is told to stop it settles, whatever it waits for`, async () => {
    for (const parameters of samples) {
      const controller = new AbortController();
      const running = runTool(makeHeld(), invocationOf(parameters), contextWith(controller.signal, 'an answer'));
      controller.abort();
      await running.catch(() => {});
    }
  });
}
