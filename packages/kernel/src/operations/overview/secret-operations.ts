import { z } from 'zod';
import { findSecrets, isPurged, maskFound } from '@loom/blocks';
import { contentOf } from '../../forest/reading/block-place.ts';
import { visibleBlocks } from '../../forest/reading/block-walk.ts';
import { rootId } from '../../forest/ids.ts';
import type { JobHandle } from '../../jobs/jobs.ts';
import { once } from '../../once.ts';
import type { LoomEngine } from '../calling/engine.ts';
import { defineOperation } from '../operation.ts';
import { eachRoot } from './each-root.ts';

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
          line: z.int().describe('The line in the block, counted from 0.'),
          kind: z.string().describe('The kind of secret, such as GitHub token.'),
          masked: z.string().describe('Its first and last characters at most.'),
        }),
      )
      .describe('At most 5,000. block.purge erases a block.'),
    more: z.int().describe('Secrets beyond those that are listed.'),
    unread: z.array(z.string()).describe('Conversations that could not be read, because their logs are damaged.'),
    cancelled: z.boolean(),
  }),
);
export type SecretReport = z.infer<ReturnType<typeof secretReport>>;

const scanSecrets = defineOperation({
  name: 'secret.scan',
  summary:
    'Starts a job that looks for secrets in what conversations say: keys and tokens of well-known services, private keys, passwords in addresses, and random values beside names such as API_KEY. Earlier versions of edited blocks, and long output that is kept apart from its conversation, are not looked through. Returns the job at once; job.get returns its report, in which no secret is whole.',
  params: () =>
    z.strictObject({
      roots: z.array(rootId).exactOptional().describe('Only these conversations. Default: all that are not deleted.'),
    }),
  result: () =>
    z.strictObject({
      job: z.string().describe(`The id of the job. Its result: {${Object.keys(secretReport().shape).join(', ')}}.`),
    }),
  effect: 'runs',
  role: 'owner',
  run: async (engine, caller, { roots }) => {
    const seen: string[] = [];
    for await (const { id } of eachRoot(engine, caller)) seen.push(id);
    const wanted = roots === undefined ? seen : seen.filter((id) => roots.includes(id));
    const [root] = wanted;
    const about = {
      kind: 'secret.scan',
      agent: caller.agent,
      words: 'Looking for secrets',
      ...(wanted.length === 1 && root !== undefined ? { root } : {}),
    };
    return { ok: true, value: { job: engine.jobs.start(about, (job) => scanRoots(engine, wanted, job)) } };
  },
});

/** Looks through conversations, one after the other; others have the processor in between. */
async function scanRoots(
  engine: Pick<LoomEngine, 'forest' | 'pause'>,
  roots: readonly string[],
  { signal, report }: JobHandle,
): Promise<SecretReport> {
  const result: SecretReport = { roots: 0, blocks: 0, found: [], more: 0, unread: [], cancelled: false };
  let unpaused = 0;
  for (const [index, root] of roots.entries()) {
    if (signal.aborted) return { ...result, cancelled: true };
    report(`Looked through ${index} of ${roots.length} conversations`, index / roots.length);
    const texts = await engine.forest.readUnlessDamaged(root, (state) =>
      Array.from(visibleBlocks(state), ({ node, block }) => ({ node: node.id, block })),
    );
    if (texts === undefined) {
      result.unread.push(root);
      continue;
    }
    result.roots += 1;
    for (const { node, block } of texts) {
      if (isPurged(block)) continue;
      result.blocks += 1;
      const text = contentOf(block);
      unpaused += text.length;
      if (unpaused > mostUnpaused) {
        unpaused = 0;
        await engine.pause();
      }
      for (const secret of findSecrets(text)) {
        if (result.found.length === mostFound) {
          result.more += 1;
          continue;
        }
        const line = text.slice(0, secret.start).split('\n').length - 1;
        const { kind } = secret;
        result.found.push({ root, node, block: block.block_id ?? '', line, kind, masked: maskFound(text, secret) });
      }
    }
  }
  return result;
}

const mostFound = 5_000;

/** The number of characters that are looked through in one go. */
const mostUnpaused = 500_000;

export const secretOperations = [scanSecrets] as const;
