import type { ReactElement } from 'react';
import { pathWords } from '@loom/blocks';
import { ruleSentence } from '@loom/blocks/asking';
import type { PermissionRule } from '@loom/kernel';
import { useHome } from './use-home.ts';

/** A rule as a sentence with short paths, and behind it exactly as it is stored. */
export function RuleView({ rule }: { rule: PermissionRule }): ReactElement {
  const home = useHome();
  const { path, directory } = rule;
  const told = {
    ...rule,
    ...(path === undefined ? {} : { path: pathWords(path, { home }) }),
    ...(directory === undefined ? {} : { directory: pathWords(directory, { home }) }),
  };
  return (
    <>
      <p className="rule-says">
        {ruleSentence(told).map(({ kind, text }, index) =>
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
