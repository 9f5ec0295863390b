import type { ReactElement } from 'react';
import { fullPathIn } from '@loom/blocks';
import { useStore } from '../../stores/use-store.ts';
import { Icon } from '../../ui/Icon.tsx';
import { useBlockHost } from '../block-host.ts';
import { editorAddress, editorName } from './editors.ts';

interface OpenInEditorProps {
  path: string;
  line?: number | undefined;
}

/** The link that opens a file in the reader's editor, if there is one and the file may be opened. */
export function OpenInEditor({ path, line }: OpenInEditorProps): ReactElement | null {
  const { editor, folder: folderNow } = useBlockHost();
  const template = useStore(editor.address);
  const folder = folderNow();
  const address =
    template === undefined ? undefined : editorAddress(template, fullPathIn(path, folder), { folder }, line);
  if (template === undefined || address === undefined) return null;
  return (
    <a
      className="icon-button icon-button-small"
      href={address}
      aria-label={`Open in ${editorName(template)}`}
      title={`Open in ${editorName(template)}: ${address}`}
    >
      <Icon name="edit" />
    </a>
  );
}
