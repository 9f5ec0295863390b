/** The part of a permission that is put in words. */
export interface ToldRule {
  readonly tool: string;
  readonly path?: string;
  readonly command?: string;
  readonly host?: string;
  readonly directory?: string;
  readonly effect: 'allow' | 'ask' | 'deny';
}

/** A piece of a sentence: words of Loom, words of the rule, or that anything may stand there. */
export interface RulePiece {
  readonly kind: 'words' | 'exact' | 'anything';
  readonly text: string;
}

const verbs: { readonly [Effect in ToldRule['effect']]: string } = {
  allow: 'Always allow',
  ask: 'Always ask before',
  deny: 'Always deny',
};

/** A rule as a sentence, with everything that narrows it. */
export function ruleSentence({ tool, command, path, host, directory, effect }: ToldRule): RulePiece[] {
  const narrowed = [
    ...narrowing(' to run ', command),
    ...narrowing(' for ', path),
    ...narrowing(' to reach ', host),
    ...narrowing(' inside ', directory),
  ];
  const isWide = narrowed.length === 0;
  return [
    { kind: 'words', text: `${verbs[effect]} ` },
    { kind: 'exact', text: tool },
    ...(isWide ? [words(' with '), { kind: 'anything' as const, text: 'any arguments' }] : narrowed),
    words(effect === 'allow' ? '. Anything else still asks.' : '.'),
  ];
}

function narrowing(before: string, pattern: string | undefined): RulePiece[] {
  return pattern === undefined ? [] : [words(before), ...patternPieces(pattern)];
}

/** A star stands for anything. */
function patternPieces(pattern: string): RulePiece[] {
  return pattern
    .split(/(\*+)/u)
    .filter((part) => part !== '')
    .map((part) =>
      part.startsWith('*') ? { kind: 'anything', text: 'anything' } : { kind: 'exact', text: part.trim() || part },
    );
}

function words(text: string): RulePiece {
  return { kind: 'words', text };
}

/** A reach that a person may choose, in words. */
export interface OfferedScope {
  readonly scope: 'conversation' | 'folder' | 'anywhere';
  readonly label: string;
  readonly detail?: string;
}

/**
 * The reaches of "always": the configuration keeps the rules of Loom's tools, an agent those of the tools that it runs. `shown` is the folder
 * as the reader knows it.
 */
export function offeredScopes(folder: string | undefined, shown = folder): OfferedScope[] {
  const here: OfferedScope = {
    scope: 'conversation',
    label: 'In this conversation',
    detail: 'From now on, whatever the rule covers',
  };
  const [name] = folder?.match(/[^/\\]+(?=[/\\]*$)/u) ?? [];
  return [
    here,
    ...(folder === undefined
      ? []
      : [
          {
            scope: 'folder' as const,
            label: `Always in ${name ?? folder}`,
            detail: `Every conversation that works in ${shown}`,
          },
        ]),
    { scope: 'anywhere', label: 'Always, in any folder' },
  ];
}

/** Describes the reach of a decision, behind the words of the decision; nothing for one call. */
export function reachWords(scope: OfferedScope['scope'] | 'once'): string {
  return reaches[scope];
}

const reaches: { readonly [Scope in OfferedScope['scope'] | 'once']: string } = {
  once: '',
  conversation: ', from now on in this conversation',
  folder: ', always in this folder',
  anywhere: ', always and in any folder',
};
