import { useRef, useState } from 'react';
import type { ReactElement } from 'react';
import { IconButton } from '../ui/IconButton.tsx';
import { Modal } from '../ui/floating/Modal.tsx';
import { Question } from '../ui/floating/Question.tsx';
import { useWorkHost } from '../work/work-host.ts';
import { count, grouped } from '../words/amounts.ts';
import { describeFailure } from '../words/failures.ts';
import { SecretList } from './SecretList.tsx';
import type { SecretReport } from './secret-report.ts';
import { skippedWords } from './secret-words.ts';
import { useSecretScan } from './use-secret-scan.ts';
import type { Jobs } from './use-secret-scan.ts';
import './secrets.css';

interface SecretsDialogProps {
  /** The conversation to look through; `undefined` for all. */
  root: string | undefined;
  jobs: Jobs;
  /** Returns the name of a conversation. */
  nameOf: (root: string) => string;
  onClose: () => void;
}

/** Lists the keys, tokens and passwords in conversations, none of them whole, and removes the blocks that have them. */
export function SecretsDialog({ root, jobs, nameOf, onClose }: SecretsDialogProps): ReactElement {
  const { ask, tell } = useWorkHost();
  const { report, progress, failure, isScanning, again } = useSecretScan(root, jobs);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [isAsked, setAsked] = useState(false);
  const [trouble, setTrouble] = useState<string>();
  const closing = useRef<HTMLButtonElement>(null);
  const title = root === undefined ? 'Secrets in all conversations' : `Secrets in “${nameOf(root)}”`;
  const blocks = [...chosen];
  const purge = async (): Promise<void> => {
    setTrouble(undefined);
    try {
      await ask('block.purge', { blocks, confirmed: true });
      setChosen(new Set());
      tell(`Removed ${count(blocks.length, 'block')} for good. Backups and exports keep what they have.`);
    } catch (error) {
      setTrouble(describeFailure(error));
    }
    again();
  };
  const found = report?.found ?? [];
  return (
    <Modal label={title} onClose={onClose} className="dialog-secrets" initialFocus={closing}>
      <div className="secrets-dialog">
        <header>
          <h2 className="grow">{title}</h2>
          <IconButton icon="close" label="Close" isSmall onClick={onClose} />
        </header>
        <div className="secrets-body">
          <div role="status" aria-busy={isScanning}>
            {isScanning ? (
              <p>{progress === '' ? 'Looking for secrets' : progress}…</p>
            ) : (
              report && <Summary report={report} />
            )}
          </div>
          {(failure ?? trouble) !== undefined && (
            <p role="alert" className="secrets-failure">
              {failure ?? trouble}
            </p>
          )}
          {found.length > 0 && (
            <SecretList
              found={found}
              chosen={chosen}
              nameOf={root === undefined ? nameOf : undefined}
              onChoose={setChosen}
              onLeave={onClose}
            />
          )}
        </div>
        <footer>
          <button type="button" className="button button-quiet" disabled={isScanning} onClick={again}>
            Look again
          </button>
          <span className="grow" />
          {found.length > 0 && (
            <button
              type="button"
              className="button button-danger"
              disabled={chosen.size === 0 || isScanning}
              onClick={() => setAsked(true)}
            >
              {chosen.size === 0 ? 'Remove for good…' : `Remove ${count(chosen.size, 'block')} for good…`}
            </button>
          )}
          <button ref={closing} type="button" className="button" onClick={onClose}>
            Close
          </button>
        </footer>
      </div>
      {isAsked && (
        <Question
          title={`Remove ${count(chosen.size, 'block')} for good?`}
          action="Remove for good"
          isDangerous
          onAnswer={() => void purge()}
          onClose={() => setAsked(false)}
        >
          <p>
            {chosen.size === 1 ? 'This block goes' : 'These blocks go'} as a whole, with all earlier versions, long
            output and files. This cannot be undone. Backups and exports keep what they have.
          </p>
          <p>A key that was in a conversation is best revoked where it was made, too.</p>
        </Question>
      )}
    </Modal>
  );
}

function Summary({ report }: { report: SecretReport }): ReactElement {
  const { roots, blocks, found, more, unread, skipped, cancelled } = report;
  const looked = `${count(blocks, 'block')} of ${count(roots, 'conversation')}`;
  const result = found.length === 0 ? 'No secrets found' : `${count(found.length + more, 'secret')} found`;
  return (
    <>
      <p>
        <strong>{result}</strong> in {looked}.{more > 0 && ` The first ${grouped(found.length)} are listed.`}
        {cancelled && ' The rest was not looked through.'}
      </p>
      <p className="secrets-quiet">
        Not looked through: {skippedWords(skipped)}.
        {unread.length > 0 && ` ${count(unread.length, 'conversation')} could not be read.`}
      </p>
    </>
  );
}
