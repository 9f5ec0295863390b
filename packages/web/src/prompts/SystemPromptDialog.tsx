import { useCallback, useEffect, useState } from 'react';
import type { FormEvent, ReactElement } from 'react';
import type { ResultOf } from '@loom/kernel';
import { priceWords } from '../branching/priced.ts';
import { useIsFree } from '../models/use-is-free.ts';
import { useAsked } from '../stores/use-asked.ts';
import { useStore } from '../stores/use-store.ts';
import { Modal } from '../ui/floating/Modal.tsx';
import { useAnswer } from '../ui/use-answer.ts';
import { Waiting } from '../ui/Waiting.tsx';
import { useWorkHost } from '../work/work-host.ts';
import { count } from '../words/amounts.ts';
import { describeFailure } from '../words/failures.ts';
import { InstructionFiles } from './InstructionFiles.tsx';
import './prompts.css';

interface SystemPromptDialogProps {
  root: string;
  /** Calls an operation of the kernel. */
  ports: SystemPromptPorts;
  onClose: () => void;
}

/** The instructions of a conversation, as they are. */
export interface KnownPrompt {
  readonly prompt: string;
  /** The end of its branch on display, or of its most recent one. */
  readonly node: string | undefined;
  /** The folder that its tools work in. */
  readonly folder: string | undefined;
  /** True if models are told what the files of the folder say. */
  readonly hasInstructions: boolean;
}

/** The services that the dialog needs from the page. */
export interface SystemPromptPorts {
  readonly read: (root: string) => Promise<KnownPrompt>;
  readonly costs: (node: string, prompt: string) => Promise<ResultOf<'context.cost'>['costs']>;
}

/** The instructions that models read before a conversation, and what other ones would cost. */
export function SystemPromptDialog({ root, ports, onClose }: SystemPromptDialogProps): ReactElement {
  const read = useCallback(() => ports.read(root), [ports, root]);
  const known = useAnswer(read);
  return (
    <Modal label="System prompt" onClose={onClose} className="dialog-wide">
      <div className="dialog-body">
        <h2>System prompt</h2>
        <p>
          Models read it before the first message. Agents such as Claude Code have instructions of their own beside it.
        </p>
        <Waiting answer={known}>
          {(before) => <PromptForm root={root} before={before} ports={ports} onClose={onClose} />}
        </Waiting>
      </div>
    </Modal>
  );
}

interface PromptFormProps extends SystemPromptDialogProps {
  before: KnownPrompt;
}

/** The pause in typing after which a price is asked for, in milliseconds. */
const pause = 600;

function PromptForm({ root, before, ports, onClose }: PromptFormProps): ReactElement {
  const { ask, answerers, attempt, tell } = useWorkHost();
  const [text, setText] = useState(before.prompt);
  const [trouble, setTrouble] = useState<string>();
  const still = useStill(text);
  const isChanged = text.trim() !== before.prompt.trim();
  const { node } = before;
  const key = node === undefined || still.trim() === before.prompt.trim() ? undefined : still;
  const costs = useAsked(key, () => ports.costs(node ?? '', still));
  const isFree = useIsFree(useStore(answerers).models[0]?.provider);
  const price = costs.value === undefined ? undefined : priceWords(costs.value, isFree);
  const set = (prompt: string): Promise<unknown> =>
    ask('root.configure', { root, config: { systemPrompt: prompt.trim() === '' ? null : prompt } });
  const save = async (): Promise<void> => {
    await set(text);
    onClose();
    const run = (): void => attempt(() => set(before.prompt));
    tell('The system prompt changed. Models read it from the next answer on.', { label: 'Undo', run });
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setTrouble(undefined);
    save().catch((error: unknown) => setTrouble(describeFailure(error)));
  };
  return (
    <form onSubmit={submit} className="system-prompt">
      <label className="dialog-field">
        <span className="unseen">System prompt</span>
        <textarea
          rows={12}
          autoFocus
          value={text}
          placeholder="There is no system prompt. Models answer without instructions."
          onChange={(event) => setText(event.target.value)}
        />
      </label>
      <p role="status" className="prompt-note" aria-busy={costs.isAsking}>
        {isChanged && node !== undefined && (costs.isAsking || still !== text)
          ? 'Computing the price…'
          : isChanged
            ? (price ?? 'Nothing that was read before has to be paid for again.')
            : `${count(text.length, 'character')}.`}
      </p>
      {(trouble ?? costs.failure) !== undefined && (
        <p role="alert" className="prompt-trouble">
          {trouble ?? costs.failure}
        </p>
      )}
      {before.folder !== undefined && <InstructionFiles folder={before.folder} areShown={before.hasInstructions} />}
      <div className="dialog-buttons">
        <button type="button" className="button" onClick={onClose}>
          {isChanged ? 'Cancel' : 'Close'}
        </button>
        <button type="submit" className="button button-primary" disabled={!isChanged}>
          Save
        </button>
      </div>
    </form>
  );
}

/** Returns a text once it has stood still for a moment. */
function useStill(text: string): string {
  const [still, setStill] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setStill(text), pause);
    return () => clearTimeout(timer);
  }, [text]);
  return still;
}
