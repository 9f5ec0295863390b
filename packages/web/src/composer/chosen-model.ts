import type { ParamsOf } from '@loom/kernel';
import type { Loom } from '../app/loom.ts';
import { useLoom } from '../app/loom-context.ts';
import type { ModelInfo } from '../models/model-answers.ts';
import { isAgent } from '../models/model-words.ts';
import { answerCount } from '../models/picked.ts';
import { useStore } from '../stores/use-store.ts';

type StartParams = ParamsOf<'turn.start'>;

/** The parameters of `turn.start` beside the node. */
export type Answering = Omit<StartParams, 'node'>;

/** The error if no model can be asked. The composer says what to do. */
class NoModelError extends Error {
  constructor() {
    super('There is no model that can be asked. Add one in the settings, or choose another one.');
    this.name = 'NoModelError';
  }
}

/** The model that answers next, to be drawn; `undefined` while none is known, or if none can be asked. */
export function useChosenModel(): ModelInfo | undefined {
  return useStore(useLoom().models.answerers).models[0];
}

/** The model that answers next, alone, with the tools that it may use. */
export function chosenModel({ models, tools: offered }: Loom): Answering {
  const { models: speakers, settings } = models.answerers.getSnapshot();
  const [first] = speakers;
  if (first === undefined) throw new NoModelError();
  const { provider, model, tools } = first;
  return {
    provider,
    model,
    ...(Object.keys(settings).length === 0 ? {} : { settings: { ...settings } }),
    // An agent has its own tools. Those of Loom change with folder and mode, and with them what its history seems to begin with.
    ...(tools === false || isAgent(provider) ? {} : { tools: offered.names() }),
  };
}

/** Returns the models that answer next; with several, none gets tools. */
export function chosenModels(loom: Loom): Answering {
  const answerers = loom.models.answerers.getSnapshot();
  const { models, n } = answerers;
  const { tools: _tools, ...leading } = chosenModel(loom);
  if (answerCount(answerers) <= 1) return chosenModel(loom);
  const { settings } = leading;
  const others = models
    .slice(1)
    .flatMap(({ provider, model }) =>
      Array.from({ length: n }, () => ({ provider, model, ...(settings === undefined ? {} : { settings }) })),
    );
  return { ...leading, n, ...(others.length === 0 ? {} : { answers: others }) };
}

/** Returns those that answer in conversations of their own: several, of which at least one is an agent that changes files. */
export function apartAnswers({ models, tools }: Loom): Pick<ParamsOf<'question.ask'>, 'answers' | 'tools'> | undefined {
  const answerers = models.answerers.getSnapshot();
  const { settings } = answerers;
  const set = Object.keys(settings).length === 0 ? {} : { settings: { ...settings } };
  if (answerCount(answerers) <= 1 || !answerers.models.some(({ provider }) => isAgent(provider))) return undefined;
  const answers = answerers.models.flatMap(({ provider, model }) =>
    Array.from({ length: answerers.n }, () => ({ provider, model, ...set })),
  );
  return { answers, tools: [...tools.names()] };
}
