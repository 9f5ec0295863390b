import type { Call } from '../command.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { shortName } from '../forest-view/node-line.ts';
import { withWriter } from '../runtime/open-loom.ts';
import { orFail } from '../runtime/refusal-error.ts';

/** `loom rm <node>`: a node with everything below it, a node alone, or a whole conversation. */
export function removeNode({ words, options, dataDir, store, isJson, terminal }: Call): Promise<ExitCode> {
  return withWriter({ dataDir, store }, async (loom) => {
    const { forest } = loom.engine;
    const { root, node } = orFail(await forest.resolve(words[0] ?? ''));
    await loom.open(root);
    const isWhole = node === root;
    const children = options.has('keep-children') ? 'reparent' : 'remove';
    if (isWhole) orFail(await forest.removeRoot(loom.request(), root));
    else orFail(await forest.remove(loom.request(), root, { node, children }));
    if (isJson) terminal.out(`${JSON.stringify({ ok: true, root, ...(isWhole ? {} : { node }) })}\n`);
    else {
      const what = isWhole ? `the conversation ${root}` : shortName(node);
      const below = isWhole ? '' : children === 'remove' ? ' and what is below it' : '; what was below it stays';
      terminal.out(`Deleted ${what}${below}. To bring it back: loom restore ${node}\n`);
    }
    return EXIT.ok;
  });
}

/** `loom restore <node>` */
export function restoreNode({ words, dataDir, store, isJson, terminal }: Call): Promise<ExitCode> {
  return withWriter({ dataDir, store }, async (loom) => {
    const { forest } = loom.engine;
    const { root, node } = orFail(await forest.resolve(words[0] ?? ''));
    await loom.open(root);
    const isWhole = node === root;
    if (isWhole) orFail(await forest.restoreRoot(loom.request(), root));
    else orFail(await forest.restore(loom.request(), root, node));
    if (isJson) terminal.out(`${JSON.stringify({ ok: true, root, ...(isWhole ? {} : { node }) })}\n`);
    else terminal.out(`Restored ${isWhole ? `the conversation ${root}` : shortName(node)}.\n`);
    return EXIT.ok;
  });
}
