import { render } from 'katex';
import 'katex/dist/katex-swap.css';
import { useLayoutEffect, useMemo, useRef } from 'react';
import type { ReactElement } from 'react';
import './copied-formulas.ts';
import { FormulaSource } from './Formula.tsx';
import type { FormulaToken } from './formula-syntax.ts';

/** A formula as it is printed; one that is not valid is its source with the reason. */
export function DrawnFormula({ token }: { token: FormulaToken }): ReactElement {
  const { raw, text, isDisplayed } = token;
  const place = useRef<HTMLSpanElement>(null);
  const result = useMemo(() => draw(text, isDisplayed), [text, isDisplayed]);
  useLayoutEffect(() => {
    if (typeof result !== 'string') place.current?.replaceChildren(result);
  }, [result]);
  if (typeof result !== 'string') {
    const name = isDisplayed ? 'formula formula-displayed scroll' : 'formula';
    return <span ref={place} className={name} data-source={raw.trim()} tabIndex={isDisplayed ? 0 : undefined} />;
  }
  return (
    <>
      <FormulaSource token={token} />
      <span className="formula-trouble cut" title={result}>
        {result}
      </span>
    </>
  );
}

/** The longest source that is drawn, in characters. */
const longest = 10_000;

/** Draws a formula as elements, none of which is made of markup. Returns the reason if it cannot be drawn. */
function draw(text: string, displayMode: boolean): HTMLElement | string {
  if (text.length > longest) return 'The formula is too long to be drawn';
  const place = document.createElement('span');
  try {
    // Nothing in a formula makes links, loads pictures, names classes, or repeats itself without an end.
    render(text, place, { displayMode, trust: false, strict: 'ignore', maxExpand: 200, maxSize: 20 });
    return place;
  } catch (error) {
    const [, reason = ''] =
      /^KaTeX parse error: (.*?)(?: at position \d+: .*)?$/su.exec(String(Reflect.get(Object(error), 'message'))) ?? [];
    return `Not a valid formula${reason === '' ? '' : `: ${reason}`}`;
  }
}
