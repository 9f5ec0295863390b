import { z } from 'zod';
import { once } from '../../../once.ts';

const int = () => z.int().nonnegative();

/** The result of a scan. */
export const secretReport = once(() =>
  z.strictObject({
    roots: z.int().describe('Conversations that were looked through.'),
    blocks: z.int().describe('Blocks that were looked through.'),
    found: z
      .array(
        z.strictObject({
          root: z.string(),
          node: z.string(),
          block: z.string(),
          role: z.enum(['user', 'assistant', 'tool']),
          type: z.string().describe('The type of the block.'),
          about: z.string().exactOptional().describe('The command, file or tool of the block, without its secrets.'),
          part: z
            .enum(['text', 'output', 'file', 'version'])
            .describe(
              'text: in the block. output, file: in its long output, or in a file that it keeps. version: only in an earlier version of it.',
            ),
          line: z.int().describe('The line in that text, counted from 0.'),
          kind: z.string().describe('The kind of secret, such as GitHub token.'),
          masked: z.string().describe('Its first and last characters at most.'),
        }),
      )
      .describe('At most 5,000. block.purge erases a block with its versions, output and files.'),
    more: z.int().describe('Secrets beyond those that are listed.'),
    unread: z.array(z.string()).describe('Conversations that could not be read, because their logs are damaged.'),
    skipped: z
      .strictObject({
        large: int().describe('Outputs and files above 8 MB.'),
        binary: int().describe('Pictures and other files that are not text.'),
        versions: int().describe('Blocks with more than 8 million characters of earlier versions: the rest of them.'),
      })
      .describe('What was not looked through. Deleted messages are not, either.'),
    cancelled: z.boolean(),
  }),
);
export type SecretReport = z.infer<ReturnType<typeof secretReport>>;
