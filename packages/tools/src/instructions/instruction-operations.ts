import { z } from 'zod';
import { defineOperation, refuse } from '@loom/kernel';
import type { AgentPromptPort } from '@loom/kernel';

/** The operation that shows what models are told about a folder. */
export function instructionOperations(prompts: AgentPromptPort) {
  return [
    defineOperation({
      name: 'instructions.get',
      summary:
        'Shows what a model would be told about a folder: the whole prompt, and the AGENTS.md or CLAUDE.md files in it.',
      params: () => z.strictObject({ directory: z.string().min(1).describe('The absolute path of a folder.') }),
      result: () =>
        z.strictObject({
          prompt: z.string().describe('What a conversation that begins there now would tell its models.'),
          files: z.array(
            z.strictObject({
              path: z.string(),
              text: z.string().describe('What models are shown of it.'),
              bytes: z.int().describe('The size of the file.'),
              cut: z.boolean().describe('Whether only its beginning is shown.'),
            }),
          ),
        }),
      effect: 'reads',
      role: 'owner',
      run: async (_engine, _caller, { directory }) => {
        const prompt = await prompts.compose({ directory, instructions: true });
        if (prompt === undefined) {
          const problem = 'is not a folder that can be read';
          return refuse({ reason: 'invalid-params', problems: [{ path: ['directory'], problem }] });
        }
        const { findInstructions } = await import('./instruction-files.ts');
        const files = await findInstructions(directory);
        return {
          ok: true,
          value: { prompt, files: files.map(({ isCut, ...file }) => ({ ...file, cut: isCut })) },
        };
      },
    }),
  ] as const;
}
