import { saveBlob } from '../../ui/save-blob.ts';
import type { WorkHost } from '../../work/work-host.ts';
import type { OpenConversation } from '../../conversation/open-conversation.ts';
import { fileNameOf, openDraft } from './drafts.ts';
import type { Draft } from './drafts.ts';

/** Begins an empty draft and opens it. */
export async function beginDraft({ call }: Pick<WorkHost, 'call'>, root: string, text = ''): Promise<void> {
  const { block_id: block } = await call('draft.create', { root, text });
  openDraft.set(block);
}

/** Removes a draft; what was typed in it comes back with it. */
export async function removeDraft(
  host: Pick<WorkHost, 'call' | 'tell' | 'attempt'>,
  root: string,
  draft: Draft,
): Promise<void> {
  const { call, tell, attempt } = host;
  await call('draft.remove', { node: draft.node });
  if (openDraft.getSnapshot() === draft.block) openDraft.set(undefined);
  tell(`Removed “${draft.title}”.`, { label: 'Undo', run: () => attempt(() => call('tree.undo', { root })) });
}

/** Saves a text as a file, as the reader sees it. */
export function saveText({ replica }: OpenConversation, { block, title }: Pick<Draft, 'block' | 'title'>): void {
  saveBlob(new Blob([replica.text(block) ?? ''], { type: 'text/markdown;charset=utf-8' }), fileNameOf(title));
}
