import type { ReactElement } from 'react';
import { saveBlob } from '../ui/save-blob.ts';
import { useLoom } from '../app/loom-context.ts';
import { Modal } from '../ui/floating/Modal.tsx';
import { reportRows, reportWords } from './import-words.ts';
import type { EndedImport } from './imports.ts';

/** The number of remarks shown at once; all of them are in the file. */
const mostWarnings = 20;

/** The exact result of an import. */
export function ReportDialog({ ended, onClose }: { ended: EndedImport; onClose: () => void }): ReactElement {
  const loom = useLoom();
  const { report, failure = '', what } = ended;
  const title = `Import of ${what}`;
  const root = report?.roots[0];
  return (
    <Modal label={title} onClose={onClose} className="dialog-narrow">
      <div className="dialog-body import-report">
        <h2>{title}</h2>
        <p>{report === undefined ? failure : reportWords(report)}</p>
        {report !== undefined && (
          <table>
            <tbody>
              {reportRows(report).map(({ name, value, isBad }) => (
                <tr key={name}>
                  <th scope="row" className={isBad === true ? 'import-bad' : undefined}>
                    {name}
                  </th>
                  <td>{value}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
        {report !== undefined && report.warnings.length > 0 && (
          <ul className="import-warnings scroll" tabIndex={0} aria-label="Remarks">
            {report.warnings.slice(0, mostWarnings).map((warning) => (
              <li key={warning}>{warning}</li>
            ))}
            {report.warnings.length > mostWarnings && (
              <li>{report.warnings.length - mostWarnings} more are in the report that you can save.</li>
            )}
          </ul>
        )}
        <div className="dialog-buttons">
          {report !== undefined && (
            <button
              type="button"
              className="button"
              onClick={() => {
                const text = JSON.stringify(report, null, 2);
                saveBlob(new Blob([text], { type: 'application/json' }), 'import-report.json');
              }}
            >
              Save report
            </button>
          )}
          {(report?.secrets ?? 0) > 0 && (
            <button
              type="button"
              className="button"
              onClick={() => {
                onClose();
                loom.workspace.dialog.set({
                  what: 'secrets',
                  ...(report?.roots.length === 1 && root !== undefined ? { root } : {}),
                });
              }}
            >
              Show secrets
            </button>
          )}
          {root !== undefined && (
            <button
              type="button"
              className="button"
              onClick={() => {
                onClose();
                loom.go({ name: 'conversation', root });
              }}
            >
              {report?.roots.length === 1 ? 'Open it' : 'Open the first'}
            </button>
          )}
          <button type="button" className="button button-primary" data-safe onClick={onClose}>
            Done
          </button>
        </div>
      </div>
    </Modal>
  );
}
