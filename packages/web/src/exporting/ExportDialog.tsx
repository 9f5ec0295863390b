import { useState } from 'react';
import type { FormEvent, ReactElement } from 'react';
import type { ExportAnswer } from '@loom/kernel';
import { useLoom } from '../app/loom-context.ts';
import { saveBlob } from '../ui/save-blob.ts';
import { Modal } from '../ui/floating/Modal.tsx';
import { fileFormats } from './export-formats.ts';
import type { ExportWish } from './export-place.ts';
import { SecretsChoice } from './SecretsChoice.tsx';
import { SessionChoice } from './SessionChoice.tsx';

/** Saves a branch or a whole conversation as a file, or says how it goes on in another program. */
export function ExportDialog({ wish, onClose }: { wish: ExportWish; onClose: () => void }): ReactElement {
  const isSession = wish.isSession === true;
  const title = isSession ? 'Continue in another program' : 'Export';
  return (
    <Modal label={title} onClose={onClose} className="dialog-narrow">
      {isSession ? (
        <div className="dialog-body">
          <h2>{title}</h2>
          <SessionChoice wish={wish} />
          <div className="dialog-buttons">
            <button type="button" className="button button-primary" onClick={onClose}>
              Done
            </button>
          </div>
        </div>
      ) : (
        <FileChoice wish={wish} onClose={onClose} />
      )}
    </Modal>
  );
}

function FileChoice({ wish, onClose }: { wish: ExportWish; onClose: () => void }): ReactElement {
  const loom = useLoom();
  const { root, node } = wish;
  const [format, setFormat] = useState(fileFormats[0]?.format ?? 'markdown');
  const [isWhole, setWhole] = useState(node === undefined);
  const [found, setFound] = useState<ExportAnswer>();
  const saveFile = async ({ blob, media_type: type, name, notes }: ExportAnswer): Promise<void> => {
    saveBlob(await loom.readBlob(blob, type), name);
    loom.notices.tell(`Saved as ${name}.${notes.map((text) => ` ${text}`).join('')}`);
  };
  const save = (event: FormEvent): void => {
    event.preventDefault();
    loom.attempt(async () => {
      const order = { place: isWhole ? root : (node ?? root), format };
      const answer = await loom.ask('export.create', order);
      if (answer.secrets.length === 0) {
        onClose();
        return saveFile(answer);
      }
      setFound(answer);
      return undefined;
    });
  };
  if (found !== undefined) {
    const replace = async (): Promise<void> => {
      const order = { place: isWhole ? root : (node ?? root), format, replace_secrets: true };
      await saveFile(await loom.ask('export.create', order));
    };
    return (
      <SecretsChoice
        secrets={found.secrets}
        onCancel={onClose}
        onKeep={() => (onClose(), loom.attempt(() => saveFile(found)))}
        onReplace={() => (onClose(), loom.attempt(replace))}
      />
    );
  }
  return (
    <form className="dialog-body" onSubmit={save}>
      <h2>Export</h2>
      <fieldset className="export-range">
        <legend className="unseen">How much</legend>
        <div className="segments">
          <Range text="This branch" isOn={!isWhole} isOff={node === undefined} onChoose={() => setWhole(false)} />
          <Range text="Whole conversation" isOn={isWhole} onChoose={() => setWhole(true)} />
        </div>
        <p>{isWhole ? 'With all its branches.' : 'From its beginning to this message.'}</p>
      </fieldset>
      <fieldset className="export-formats">
        <legend className="unseen">As what</legend>
        {fileFormats.map(({ format: value, name, about }) => (
          <label key={value} className="export-format">
            <input type="radio" name="format" checked={format === value} onChange={() => setFormat(value)} />
            <span className="grow">
              <span>{name}</span>
              <span className="export-about">{about}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <div className="dialog-buttons">
        <button type="button" className="button" onClick={onClose}>
          Cancel
        </button>
        <button type="submit" className="button button-primary">
          Save
        </button>
      </div>
    </form>
  );
}

interface RangeProps {
  text: string;
  isOn: boolean;
  isOff?: boolean;
  onChoose: () => void;
}

function Range({ text, isOn, isOff = false, onChoose }: RangeProps): ReactElement {
  return (
    <label className="segment">
      <input type="radio" name="range" checked={isOn} disabled={isOff} onChange={onChoose} />
      <span>{text}</span>
    </label>
  );
}
