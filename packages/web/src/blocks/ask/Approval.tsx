import { useEffect, useRef, useState } from 'react';
import type { ReactElement, ReactNode } from 'react';
import { offeredScopes } from '@loom/blocks/asking';
import type { DecisionScope, PermissionRule } from '@loom/kernel';
import { folderWords } from '../../work/paths.ts';
import { Always } from './Always.tsx';
import { areSame, argumentProblem, spelledOut } from './changed-arguments.ts';
import { ChangedArguments } from './ChangedArguments.tsx';
import { Denial } from './Denial.tsx';
import type { Deciders } from './deciders.ts';
import { useArmed } from './use-armed.ts';

/** The options that go with an approval. */
export interface AllowOptions {
  readonly scope?: DecisionScope;
  readonly arguments_changed?: string;
}

interface ApprovalProps {
  /** The arguments as the model wrote them. */
  written: string;
  /** The rules that "always" would store. */
  rules: readonly PermissionRule[];
  /** It is about a spending limit: there are no arguments, and it is not a call that runs. */
  isLimit?: boolean;
  /** The agent that asks runs its tools itself. */
  isAgents: boolean;
  folder: string | undefined;
  home: string | undefined;
  may: Deciders;
  isDangerous: boolean;
  isSending: boolean;
  onAllow: (options: AllowOptions) => void;
  onDeny: (reason: string) => void;
}

type Part = 'always' | 'change' | 'deny';

/** The ways to decide about a call. A choice that needs more than one step unfolds in the card; Esc folds it again. */
export function Approval(props: ApprovalProps): ReactElement {
  const {
    written,
    rules,
    isLimit = false,
    isAgents,
    folder,
    home,
    may,
    isDangerous,
    isSending,
    onAllow,
    onDeny,
  } = props;
  const isOff = !useArmed() || isSending || !may.isKnown;
  const [part, setPart] = useState<Part>();
  const [reason, setReason] = useState('');
  const [changed, setChanged] = useState(() => spelledOut(written));
  const scopes = offeredScopes(folder, folder && folderWords(folder, home));
  const [scope, setScope] = useState(scopes.find(({ scope: one }) => one === 'folder')?.scope ?? 'conversation');
  const button = useButtons(part, isOff);
  const back = (): void => setPart(undefined);
  const open = (name: Part) => () => setPart(name);
  const problem = argumentProblem(changed);
  const allowChanged = (): void => onAllow(areSame(changed, written) ? {} : { arguments_changed: changed });
  const once = button(
    isLimit ? 'Spend as much again' : 'Allow once',
    () => onAllow({}),
    isDangerous || part === 'always' ? '' : 'button-primary',
  );
  const deny = may.deny && button('Deny…', open('deny'), 'button-quiet', 'deny');
  const folded = button('Back', back, 'button-quiet');
  const choices: Record<Exclude<Part, 'deny'> | 'plain', ReactNode> = {
    plain: may.approve ? (
      <>
        {once}
        {rules.length > 0 && button('Always allow…', open('always'), '', 'always')}
        {!isLimit && button('Change arguments…', open('change'), 'button-quiet', 'change')}
        <span className="grow" />
        {deny}
      </>
    ) : (
      <>
        <span className="aside grow">Only an owner can allow this.</span>
        {deny}
      </>
    ),
    always: (
      <>
        {button('Allow and remember', () => onAllow({ scope }), 'button-primary')}
        {once}
        <span className="grow" />
        {folded}
        {deny}
      </>
    ),
    change: (
      <>
        {button('Allow with these', allowChanged, 'button-primary', undefined, problem !== undefined)}
        <span className="grow" />
        {folded}
      </>
    ),
  };
  return (
    <div
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || part === undefined) return;
        event.stopPropagation();
        back();
      }}
    >
      {part === 'always' && (
        <Always rules={rules} scopes={scopes} scope={scope} folder={folder} isAgents={isAgents} onChoose={setScope} />
      )}
      {part === 'change' && <ChangedArguments text={changed} problem={problem} onChange={setChanged} />}
      {part === 'deny' ? (
        <Denial reason={reason} isOff={isOff} onChange={setReason} onDeny={() => onDeny(reason)} onCancel={back} />
      ) : (
        <div className="ask-choices">{choices[part ?? 'plain']}</div>
      )}
    </div>
  );
}

type Button = (words: string, act: () => void, kind: string, opens?: Part, isImpossible?: boolean) => ReactElement;

/** Makes buttons that act once they may. Folding a part returns the focus to the button that has opened it. */
function useButtons(part: Part | undefined, isOff: boolean): Button {
  const openers = useRef(new Map<Part, HTMLButtonElement>());
  const before = useRef<Part>(undefined);
  useEffect(() => {
    if (part === undefined && before.current !== undefined) openers.current.get(before.current)?.focus();
    before.current = part;
  }, [part]);
  return (words, act, kind, opens, isImpossible = false) => (
    <button
      ref={(element) => {
        if (opens !== undefined && element !== null) openers.current.set(opens, element);
      }}
      type="button"
      className={`button ${kind}`.trim()}
      aria-disabled={isOff || isImpossible}
      onClick={() => {
        if (!isOff && !isImpossible) act();
      }}
    >
      {words}
    </button>
  );
}
