import { z } from 'zod';
import { utf8Length } from '@loom/blocks';
import type { BlobReference, CommandBlock } from '@loom/blocks';
import type { Spool, SpoolPort } from '../../blob-port.ts';
import type { Forest } from '../../forest/forest.ts';
import type { Hash, Ids } from '../../ports.ts';
import type { RootState } from '../../state/root-state.ts';
import { headOf, tailOf } from '../output/output-bytes.ts';
import {
  changedOutput,
  inlineOutput,
  outputFields,
  rootOfSpool,
  spoolName,
  spoolPrefix,
} from '../output/output-spools.ts';
import type { OutputField } from '../output/output-spools.ts';

/** The means to keep the output that processes have left. */
export interface LeftOutputScope {
  spools: SpoolPort;
  forest: Forest;
  hash: Hash;
  ids: Ids;
  exclusive?: boolean;
}

interface LeftOutput {
  block: string;
  field: OutputField;
  isGrowing: boolean;
}

/** The roots that have spools. */
export async function rootsWithOutput(spools: SpoolPort): Promise<Set<string>> {
  // Conversations can be opened without it; a writer of output hears of the problem with the store.
  const names = await spools.names().catch(() => []);
  return new Set(names.flatMap((name) => rootOfSpool(name) ?? []));
}

/**
 * Makes blobs of outputs whose writer is gone, and says so in their blocks. The spool goes last, so that a crash at any moment leaves
 * either the spool or the block that cites the blob.
 */
export async function keepLeftOutput(scope: LeftOutputScope, root: string): Promise<void> {
  const { spools, forest, hash, ids, exclusive } = scope;
  const names = (await spools.names()).filter((name) => name.startsWith(spoolPrefix(root)));
  if (names.length === 0) return;
  const log = forest.log(root);
  const owners = outputsOf(await log.state(), hash);
  for (const name of names) {
    const owner = owners.get(name);
    // A spool that this process has not heard of may be one that another process has just begun.
    if (owner?.isGrowing ?? exclusive !== true) continue;
    const spool = await spools.open(name);
    if (owner !== undefined) {
      const output = await readOutput(spool);
      const request = { agent: 'loom:recovery', id: ids.next() };
      await log.append(request, z.null(), (state) => {
        const block = state.block(owner.block);
        // A writer that was gone before its first bytes were in the spool has left more in the log.
        const isLonger = block !== undefined && output.bytes > utf8Length(inlineOutput(block, owner.field));
        return { ok: true, ops: isLonger ? changedOutput(block, owner.field, output) : [], value: null };
      });
    }
    await spool.drop();
  }
}

/** The outputs of all commands of a conversation, by the names that their spools have. */
function outputsOf(state: RootState, hash: Hash): Map<string, LeftOutput> {
  const outputs = new Map<string, LeftOutput>();
  for (const { blocks, turn } of state.nodes.values()) {
    const isLive = turn !== undefined && state.liveTurns.has(turn);
    for (const block of blocks.filter(isCommand)) {
      const { block_id: id = '', status } = block;
      for (const field of outputFields) {
        const isGrowing = isLive && status === 'running';
        outputs.set(spoolName(state.id, id, field, hash), { block: id, field, isGrowing });
      }
    }
  }
  return outputs;
}

function isCommand(block: { type: string }): block is CommandBlock {
  return block.type === 'command';
}

async function readOutput(spool: Spool): Promise<BlobReference> {
  const { id: blob, bytes } = await spool.finish();
  const head = await spool.read({ end: enough });
  // Read from before its first character, so that a part of one is told from a whole one.
  const end = await spool.read({ start: Math.max(0, bytes - enough) });
  return { blob, bytes, preview: headOf(head), tail: tailOf(end) };
}

/** More bytes than are shown of an output at either end. */
const enough = 32 * 1024;
