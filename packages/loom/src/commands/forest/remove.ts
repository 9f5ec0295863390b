import { deletedAbove } from '../../forest-view/deleted-above.ts';
import type { Call } from '../../command-line/command.ts';
import { EXIT, type ExitCode } from '../../command-line/exit-codes.ts';
import { LoomError } from '../../command-line/failure.ts';
import { shortName } from '../../forest-view/node-line.ts';
import { findPlace, type Place } from '../../runtime/named-place.ts';
import type { Loom } from '../../runtime/loom.ts';
import { withPresentData } from '../../runtime/present-data.ts';
import { suggest } from '../../command-line/suggested-command.ts';
import { orFail } from '../../words/refusal-error.ts';

/** `loom rm <node>`: a node with everything below it, a node alone, or a whole conversation. */
export function removeNode(call: Call): Promise<ExitCode> {
  const { words, options, dataDir, store, isJson, terminal } = call;
  return withPresentData({ dataDir, store }, async (loom) => {
    const { root, node, isWhole, hidden } = await lookUp(loom, words[0] ?? '');
    if (hidden !== undefined) {
      throw new LoomError('node-not-found', `${describe({ root, node })} is deleted already`, {
        advice: `To bring it back: ${suggest(`restore ${hidden}`)}`,
      });
    }
    const children = options.has('keep-children') ? 'reparent' : 'remove';
    if (isWhole) orFail(await loom.call('root.remove', { root }));
    else orFail(await loom.call('node.remove', { node, children }));
    if (isJson) terminal.out(`${JSON.stringify({ ok: true, root, ...(isWhole ? {} : { node }) })}\n`);
    else {
      const below = isWhole ? '' : children === 'remove' ? ' and what is below it' : '; what was below it stays';
      terminal.out(`Deleted ${describe({ root, node })}${below}. To bring it back: ${suggest(`restore ${node}`)}\n`);
    }
    return EXIT.ok;
  });
}

/** `loom restore <node>` */
export function restoreNode(call: Call): Promise<ExitCode> {
  const { words, dataDir, store, isJson, terminal } = call;
  return withPresentData({ dataDir, store }, async (loom) => {
    const { root, node, isWhole, hidden } = await lookUp(loom, words[0] ?? '');
    if (hidden === undefined) {
      throw new LoomError('not-deleted', `${describe({ root, node })} is not deleted`, {
        advice: `Nothing was changed. To see it: ${suggest(`show ${node}`)}`,
      });
    }
    if (hidden !== node) {
      throw new LoomError(
        'node-not-found',
        `${describe({ root, node })} is hidden by ${shortName(hidden)}, which is deleted`,
        {
          advice: `To bring both back: ${suggest(`restore ${hidden}`)}`,
        },
      );
    }
    if (isWhole) orFail(await loom.call('root.restore', { root }));
    else orFail(await loom.call('node.restore', { node }));
    if (isJson) terminal.out(`${JSON.stringify({ ok: true, root, ...(isWhole ? {} : { node }) })}\n`);
    else {
      const above = deletedAbove(await loom.open(root), node);
      const rest =
        above === undefined
          ? ''
          : ` It stays hidden until you restore what is above it: ${suggest(`restore ${above}`)}`;
      terminal.out(`Restored ${describe({ root, node })}.${rest}\n`);
    }
    return EXIT.ok;
  });
}

/** Returns the place that a word means, and the deleted item that hides it, if any. */
async function lookUp(loom: Loom, word: string): Promise<Place & { isWhole: boolean; hidden: string | undefined }> {
  const { root, node } = await findPlace(loom, word);
  return { root, node, isWhole: node === root, hidden: deletedAbove(await loom.open(root), node) };
}

function describe({ root, node }: Place): string {
  return node === root ? `the conversation ${root}` : shortName(node);
}
