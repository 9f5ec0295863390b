// Writes to a data folder until its disk is full, reads, waits for a line on its standard input, which means that there is room again, and
// goes on: `filling-writer.ts <data folder> <store> <seed>`. Reports the events on its standard output.
import { once } from 'node:events';
import { z } from 'zod';
import { StoreError } from '@loom/kernel/store';
import type { OpenedFolder } from '../../runtime/opened-folder.ts';
import { withWriter } from '../../runtime/opened-folder.ts';
import { Random } from '@loom/kernel/testing';
import { STORE_KINDS } from '@loom/data-folder/store-kind';
import { acknowledgement } from '../kill-loop/acknowledgement.ts';
import { printLine } from '../kill-loop/line-output.ts';

export const fillingWriterProgram = import.meta.filename;

/** A line printed by the writer. */
export const fillingLine = z.discriminatedUnion('type', [
  ...acknowledgement.options,
  /** A write was refused. */
  z.strictObject({ type: z.literal('full'), code: z.string(), advice: z.string() }),
  /** The read while the disk was full: all acknowledged messages must be there. */
  z.strictObject({ type: z.literal('read'), nodes: z.int() }),
  /** The writes after there was room again. */
  z.strictObject({ type: z.literal('resumed'), writes: z.int() }),
  z.strictObject({ type: z.literal('closed') }),
]);
export type FillingLine = z.infer<typeof fillingLine>;

const options = z.tuple([z.string(), z.enum(STORE_KINDS), z.coerce.number()]);

/** The number of writes: more than any of the small disks holds. */
const enough = 20_000;
const writesAfterwards = 10;

async function fillDisk(loom: OpenedFolder, random: Random): Promise<void> {
  const created = await loom.call('root.create', {});
  if (!created.ok) throw new Error(JSON.stringify(created.refusal));
  const { root } = created.value;
  say({ type: 'ready', root });
  let count = 0;
  const write = async (): Promise<string> => {
    const text = `said ${count} ${'x'.repeat(random.below(6000))}`;
    const messages = [{ role: 'user' as const, content: text }];
    const outcome = await loom.call('node.append', { parent: root, messages });
    if (!outcome.ok) throw new Error(JSON.stringify(outcome.refusal));
    count += 1;
    const node = outcome.value.nodes.at(-1) ?? '';
    say({ type: 'said', seq: outcome.cursor?.seq ?? 0, node, text });
    return node;
  };
  const node = await write();
  const answer = await loom.call('turn.start', { node, provider: 'demo', model: 'demo' });
  if (!answer.ok) throw new Error(JSON.stringify(answer.refusal));
  try {
    for (let index = 0; index < enough; index += 1) await write();
    throw new Error('the disk is too large');
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    say({ type: 'full', code: error.code, advice: error.advice });
  }
  const { nodes } = await loom.open(root);
  say({ type: 'read', nodes: nodes.size });
  await once(process.stdin, 'data');
  for (let index = 0; index < writesAfterwards; index += 1) await write();
  say({ type: 'resumed', writes: writesAfterwards });
}

function say(line: FillingLine): void {
  printLine(line);
}

if (import.meta.main) {
  const [dataDir, store, seed] = options.parse(process.argv.slice(2));
  const random = new Random(seed);
  // The failure to write files is repeated again and again until there is room.
  await withWriter({ dataDir, store, note: () => {} }, (loom) => fillDisk(loom, random));
  say({ type: 'closed' });
  process.stdin.destroy();
}
