import type { Tool } from '@loom/kernel';
import { refuse, textParameter } from './parameters.ts';

/** Always fails: by a result that says so or, if asked to, by rejecting. */
export const flaky: Tool = {
  name: 'flaky',
  description: 'Fails, so that one sees what a failing tool looks like.',
  parameters: {
    type: 'object',
    properties: { way: { type: 'string', enum: ['result', 'reject'] } },
    additionalProperties: false,
  },
  prepare: async () => ({ permission: 'run' }),
  async run(invocation) {
    if (textParameter(invocation, 'way') === 'reject') throw new FlakyToolError();
    return refuse('The weather satellite did not answer. Try again later.');
  },
};

/** The error of `flaky`. */
class FlakyToolError extends Error {
  readonly code = 'flaky';

  constructor() {
    super('The tool broke down, as it was asked to.');
    this.name = 'FlakyToolError';
  }
}
