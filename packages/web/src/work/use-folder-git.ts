import { useAsked } from '../stores/use-asked.ts';
import { folderListing } from './folders/folder-rows.ts';
import { useMay } from './use-may.ts';
import { useWorkHost } from './work-host.ts';

/** Returns how git knows a folder; `undefined` if it does not, if the reader may not ask, or until the server has answered. */
export function useFolderGit(folder: string): 'repository' | 'worktree' | undefined {
  const { ask } = useWorkHost();
  const mayAsk = useMay('folder.list') === true;
  const { value } = useAsked(folder === '' || !mayAsk ? undefined : folder, async () =>
    folderListing.parse(await ask('folder.list', { path: folder })),
  );
  return value?.git;
}
