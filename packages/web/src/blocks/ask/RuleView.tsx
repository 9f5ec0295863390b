import type { ReactElement } from 'react';
import { ruleSentence } from '@loom/blocks/asking';
import type { PermissionRule } from '@loom/kernel';

/** A rule as a sentence, and behind it exactly as it is stored. */
export function RuleView({ rule }: { rule: PermissionRule }): ReactElement {
  return (
    <>
      <p className="rule-says">
        {ruleSentence(rule).map(({ kind, text }, index) =>
          kind === 'words' ? (
            text
          ) : (
            <code key={index} className={kind === 'anything' ? 'rule-any' : undefined}>
              {text}
            </code>
          ),
        )}
      </p>
      <details className="rule-stored">
        <summary>As it is stored</summary>
        <pre className="ask-command">{JSON.stringify(rule, null, 2)}</pre>
      </details>
    </>
  );
}
