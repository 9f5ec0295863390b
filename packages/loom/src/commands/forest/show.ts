import { lastPart, nodeJson, pathTo, recentLeaves } from '@loom/kernel';
import type { Call } from '../../command-line/command.ts';
import { EXIT, type ExitCode } from '../../command-line/exit-codes.ts';
import { renderPath } from '../../forest-view/render-path.ts';
import { noteOf } from '../../runtime/files-note.ts';
import { findPlaceToShow } from '../../runtime/named-place.ts';
import { withReader } from '../../runtime/opened-folder.ts';
import { styleFor } from '../../terminal/style.ts';

/** `loom show <node>`: everything from the beginning to a node; of a root, to where something happened last. */
export function showNode({ words, dataDir, isJson, terminal }: Call): Promise<ExitCode> {
  return withReader({ dataDir, note: noteOf(terminal, isJson) }, async (loom) => {
    const { root, node } = await findPlaceToShow(loom, words[0] ?? '', noteOf(terminal, isJson));
    const state = await loom.open(root);
    const end = state.nodes.get(node) ?? recentLeaves(state, 1)[0];
    const path = end === undefined ? [] : pathTo(state, isJson ? end.id : lastPart(state, end).id);
    if (isJson) for (const { id } of path) terminal.out(`${JSON.stringify(nodeJson(state, id))}\n`);
    else terminal.out(renderPath(state, path, styleFor(terminal, 'out'), terminal.screen.isOut));
    return EXIT.ok;
  });
}
