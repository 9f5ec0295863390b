import { useState } from 'react';
import type { FormEvent, ReactElement } from 'react';
import { z } from 'zod';
import { useConversationsHost } from './conversations-host.ts';
import { endOfJob } from './end-of-job.ts';
import { fileFormats } from '../exporting/export-formats.ts';
import { SecretsChoice } from '../exporting/SecretsChoice.tsx';
import { Modal } from '../ui/floating/Modal.tsx';
import { saveBlob } from '../ui/save-blob.ts';
import { count } from '../words/amounts.ts';

/** The result of a job that wrote an archive, as the server reports it. */
const archiveReport = z.object({
  archive: z.object({ blob: z.string(), name: z.string(), media_type: z.string() }).exactOptional(),
  files: z.number(),
  secrets: z.array(z.object({ kind: z.string(), masked: z.string(), count: z.number() })),
  unread: z.array(z.unknown()),
  cancelled: z.boolean(),
});
type ArchiveReport = z.infer<typeof archiveReport>;
type Format = (typeof fileFormats)[number]['format'];

interface ExportManyProps {
  roots: readonly string[];
  onClose: () => void;
  onDone: () => void;
}

/** Saves many conversations as one archive. What was found in them that is secret is shown before the file is saved. */
export function ExportManyDialog({ roots, onClose, onDone }: ExportManyProps): ReactElement {
  const host = useConversationsHost();
  const { ask, attempt, notices, readBlob } = host;
  const [format, setFormat] = useState<Format>('markdown');
  const [isWriting, setWriting] = useState(false);
  const [found, setFound] = useState<ArchiveReport>();
  const write = async (replacesSecrets: boolean): Promise<ArchiveReport> => {
    const order = { roots: [...roots], format, replace_secrets: replacesSecrets };
    const { job } = await ask('export.archive', order);
    const { result, words } = await endOfJob(host, job);
    const report = archiveReport.safeParse(result);
    if (!report.success) throw new Error(`The export ended: ${words}`);
    return report.data;
  };
  const save = async ({ archive, files, unread, cancelled }: ArchiveReport): Promise<void> => {
    onClose();
    if (archive === undefined) {
      notices.tell(cancelled ? 'The export was cancelled.' : 'None of these conversations can be read.');
      return;
    }
    saveBlob(await readBlob(archive.blob, archive.media_type), archive.name);
    onDone();
    const missing = unread.length === 0 ? '' : ` ${count(unread.length, 'conversation')} could not be read.`;
    notices.tell(`Saved ${count(files, 'conversation')} as ${archive.name}.${missing}`);
  };
  const begin = (event: FormEvent): void => {
    event.preventDefault();
    setWriting(true);
    attempt(async () => {
      try {
        const report = await write(false);
        if (report.secrets.length === 0 || report.archive === undefined) await save(report);
        else setFound(report);
      } finally {
        setWriting(false);
      }
    });
  };
  return (
    <Modal label="Export" onClose={onClose} className="dialog-narrow">
      {found === undefined ? (
        <form className="dialog-body" onSubmit={begin}>
          <h2>Export {count(roots.length, 'conversation')}</h2>
          <p className="export-about">One zip archive, with a file for each conversation in a folder of its project.</p>
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
            <button type="submit" className="button button-primary" disabled={isWriting}>
              {isWriting ? 'Writing…' : 'Save'}
            </button>
          </div>
        </form>
      ) : (
        <SecretsChoice
          secrets={found.secrets}
          onCancel={onClose}
          onKeep={() => attempt(() => save(found))}
          onReplace={() => (onClose(), attempt(async () => save(await write(true))))}
        />
      )}
    </Modal>
  );
}
