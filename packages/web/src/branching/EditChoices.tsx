import { useEffect } from 'react';
import type { ReactElement } from 'react';
import type { NodeState } from '@loom/kernel';
import { useConversation, useLoom } from '../app/loom-context.ts';
import { useChosenModel } from '../composer/chosen-model.ts';
import { leavesBelow } from '../conversation/branches.ts';
import { useAreFree, useIsFree } from '../models/use-is-free.ts';
import { useAsked } from '../stores/use-asked.ts';
import { useSettled } from '../stores/use-settled.ts';
import { useStore } from '../stores/use-store.ts';
import { count } from '../words/amounts.ts';
import { inPlaceWords, runWords } from '../writing/edit-price.ts';
import { textsWith } from './message-edit.ts';
import type { EditChoice } from './message-edit.ts';

interface ChoicesProps {
  node: NodeState;
  block: string;
  opened: string;
  text: string;
  choices: readonly EditChoice[];
  choice: EditChoice;
  onChoose: (choice: EditChoice) => void;
}

interface ChoiceWords {
  title: string;
  price: string;
  about: string;
}

/** The ways to save an edited text, each with its effect and cost. */
export function EditChoices(props: ChoicesProps): ReactElement {
  const { choices, choice, onChoose } = props;
  const words = useChoiceWords(props);
  return (
    <div className="edit-choices" role="radiogroup" aria-label="What to do with the new text">
      {choices.map((one) => (
        <label key={one} className={one === choice ? 'edit-choice edit-choice-chosen' : 'edit-choice'}>
          <input
            type="radio"
            name="edit-choice"
            aria-label={words(one).title}
            aria-describedby={`edit-choice-${one}`}
            checked={one === choice}
            onChange={() => onChoose(one)}
          />
          <span className="edit-choice-title">{words(one).title}</span>
          <span className="edit-choice-price">{words(one).price}</span>
          <span className="edit-choice-about" id={`edit-choice-${one}`}>
            {words(one).about}
          </span>
        </label>
      ))}
    </div>
  );
}

function useChoiceWords({ node, block, opened, text }: ChoicesProps): (choice: EditChoice) => ChoiceWords {
  const loom = useLoom();
  const shape = useStore(useConversation().shape);
  const branches = leavesBelow(shape, node.id);
  const chosen = useChosenModel();
  const { provider = '', model = '' } = chosen ?? {};
  const isFree = useIsFree(chosen?.provider);
  const areFree = useAreFree();
  const settled = useSettled(text, 600);
  const content = textsWith(node, block, settled).join('\n\n');
  const costs = useAsked(JSON.stringify([node.id, content]), () =>
    loom.ask('context.cost', { node: node.id, content }),
  );
  const size = useAsked(chosen && JSON.stringify([node.id, provider, model]), () =>
    loom.ask('context.size', { node: node.id, provider, model, tools: loom.tools.names() }),
  );
  useEffect(() => {
    loom.workspace.costs.set(costs.value);
    return () => loom.workspace.costs.set(undefined);
  }, [loom, costs.value]);
  const stay =
    branches === 1
      ? 'The branch below stays as it is.'
      : `The ${count(branches, 'branch', 'branches')} below stay as they are.`;
  return (choice) => {
    if (choice === 'in-place') {
      const words =
        costs.value === undefined
          ? undefined
          : inPlaceWords(costs.value, branches, areFree(costs.value.costs.map(({ leaf }) => leaf)));
      return {
        title: 'Save in place',
        price: words?.price ?? costs.failure ?? '…',
        about: words?.about ?? 'The old text stays in the history.',
      };
    }
    if (choice === 'branch') {
      return { title: 'New branch', price: 'nothing until you run it', about: `${stay} Yours starts here, empty.` };
    }
    if (chosen === undefined) {
      return {
        title: 'New branch and run',
        price: 'no model',
        about: 'Choose a model first, or add one in the settings.',
      };
    }
    const words = size.value === undefined ? undefined : runWords(size.value, opened, settled);
    return {
      title: 'New branch and run',
      price: isFree ? 'free' : (words?.price ?? size.failure ?? '…'),
      about: `As above, then ${model} answers. ${words?.about ?? ''}`,
    };
  };
}
