import { useRef } from 'react';
import type { ReactElement } from 'react';
import { Icon } from '../../ui/Icon.tsx';
import { later } from '../../ui/later.tsx';
import { Popover } from '../../ui/floating/boxes.ts';
import { useOpen } from '../../ui/floating/use-open.ts';
import { folderName } from '../paths.ts';
import { useWorkHost } from '../work-host.ts';

const FolderPicker = later(async () => (await import('./FolderPicker.tsx')).FolderPicker, { takesKeys: true });

interface FolderButtonProps {
  /** The path of the folder; empty for none. */
  folder: string;
  /** The words on the button. Default: the name of the folder. */
  words?: string;
  onChoose: (path: string) => void;
}

/** The folder that tools work in; opens the list to choose from. */
export function FolderButton({ folder, words: given, onChoose }: FolderButtonProps): ReactElement {
  const { focusComposer } = useWorkHost();
  const button = useRef<HTMLButtonElement>(null);
  const { isOpen, toggle, close } = useOpen();
  const words = given ?? (folder === '' ? 'No folder' : folderName(folder));
  return (
    <>
      <button
        ref={button}
        type="button"
        className="pick pick-small"
        title={folder === '' ? 'Choose a folder that tools may work in' : folder}
        aria-label={given ?? `Folder: ${words}`}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={toggle}
      >
        <Icon name={folder === '' ? 'message' : 'folder'} small />
        <span className="cut">{words}</span>
        <Icon name="down" small />
      </button>
      {isOpen && (
        <Popover
          anchor={button.current}
          label="Folder"
          className="picker folder-picker"
          onLeave={focusComposer}
          onClose={close}
        >
          <FolderPicker
            chosen={folder}
            onChoose={(path) => {
              close();
              onChoose(path);
            }}
          />
        </Popover>
      )}
    </>
  );
}
