import type { ReactElement } from 'react';
import type { Tokens } from 'marked';
import { MenuButton } from '../ui/floating/MenuButton.tsx';
import { tableAsCsv } from './table-as-csv.ts';

/** Copies a table as it was written, or for a spreadsheet. */
export function TableTools({ token }: { token: Tokens.Table }): ReactElement {
  const copy = (text: string): void => void navigator.clipboard.writeText(text);
  return (
    <div className="table-tools">
      <MenuButton
        icon="copy"
        label="Copy the table"
        isSmall
        items={() => [
          { label: 'Copy as Markdown', run: () => copy(token.raw.trim()) },
          { label: 'Copy as CSV', run: () => copy(tableAsCsv(token)) },
        ]}
      />
    </div>
  );
}
