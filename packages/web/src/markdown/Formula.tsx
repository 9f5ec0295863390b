import { use } from 'react';
import type { ReactElement } from 'react';
import { laterValue } from '../ui/later.tsx';
import type { FormulaToken } from './formula-syntax.ts';
import { OpenContext } from './open-context.ts';

/** Loaded for the first formula: most conversations have none. */
const drawn = laterValue(async () => (await import('./DrawnFormula.tsx')).DrawnFormula, { isExpected: false });

/** A formula. Its source is shown until its text has gone on behind it, and what draws it is there. */
export function Formula({ token }: { token: FormulaToken }): ReactElement {
  return use(OpenContext) ? <FormulaSource token={token} /> : <ClosedFormula token={token} />;
}

function ClosedFormula({ token }: { token: FormulaToken }): ReactElement {
  const DrawnFormula = drawn.use();
  return DrawnFormula === undefined ? <FormulaSource token={token} /> : <DrawnFormula token={token} />;
}

export function FormulaSource({ token }: { token: FormulaToken }): ReactElement {
  return <code className={token.isDisplayed ? 'formula-lines' : undefined}>{token.raw.trim()}</code>;
}
