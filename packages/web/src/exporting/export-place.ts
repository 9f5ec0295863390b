import type { Loom } from '../app/loom.ts';

/** The conversation to export, at one of its messages. */
export interface ExportWish {
  readonly root: string;
  /** The message that the branch ends at; `undefined` while there is none. */
  readonly node?: string;
  /** True if the branch is to go on in another program. */
  readonly isSession?: boolean;
}

/** Returns the subject of an export from here: the message of the current block, else the end of the branch. */
export function exportWishHere({ conversation, current }: Loom): ExportWish | undefined {
  const open = conversation.getSnapshot();
  if (open === undefined) return undefined;
  const block = current.getSnapshot();
  const path = open.path.getSnapshot();
  const node =
    path.find((id) =>
      open.replica.nodes.get(id)?.blocks.some(({ block_id: own }) => own !== undefined && own === block),
    ) ?? path.at(-1);
  return { root: open.root, ...(node === undefined ? {} : { node }) };
}
