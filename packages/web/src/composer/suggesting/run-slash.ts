import type { Loom } from '../../app/loom.ts';
import { regenerate } from '../../conversation/actions.ts';
import type { OpenConversation } from '../../conversation/open-conversation.ts';
import { isNamed, mostAnswers, pick } from '../../models/picked.ts';
import { matches } from '../../models/model-filter.ts';
import { chosenModel } from '../chosen-model.ts';
import { editLastMessage } from '../edit-last-message.ts';
import { stop } from '../sending.ts';
import { parseCount } from './slash.ts';
import type { ParsedSlash, SlashName } from './slash.ts';

/** Runs a slash command. If it fails, the reason is shown, and the command stays in the field. */
export async function runSlash(loom: Loom, { command, words }: ParsedSlash): Promise<void> {
  const text = loom.composer.draft.getSnapshot().text;
  loom.composer.write('');
  try {
    await loom.models.ready();
    await actions[command.name](loom, words);
  } catch (error) {
    loom.composer.write(text);
    throw error;
  }
}

const actions: { readonly [Name in SlashName]: (loom: Loom, words: string) => Promise<void> | void } = {
  model: chooseModel,
  preset({ models, notices }, words) {
    const { presets } = models.known.getSnapshot();
    const found = presets.find(({ name }) => name.toLowerCase() === words.toLowerCase());
    if (found === undefined) {
      const names = presets.map(({ name }) => name).join(', ');
      throw new Error(
        names === ''
          ? 'There are no presets yet. The settings say how to make one'
          : `There is no such preset. There are ${names}`,
      );
    }
    models.picked.set({ names: [], n: 1, preset: found.name });
    notices.tell(`${found.name} answers from now on.`);
  },
  n({ models, notices }, words) {
    const n = parseCount(words, mostAnswers);
    if (n === undefined) throw new Error(`How many answers: a number from 1 to ${mostAnswers}`);
    models.picked.update((picked) => ({ ...picked, n }));
    notices.tell(
      n === 1 ? 'Each message gets one answer.' : `Each message gets ${n} answers side by side, without tools.`,
    );
  },
  async retry(loom) {
    const conversation = await loadedOne(loom);
    await regenerate(loom, conversation, conversation.tip);
  },
  async answers(loom) {
    const { root, path, shape } = await loadedOne(loom);
    const { children } = shape.getSnapshot();
    const node = [root, ...path.getSnapshot()].findLast((id) => (children.get(id)?.length ?? 0) > 1);
    if (node === undefined) throw new Error('No message on this branch has several answers');
    loom.go({ name: 'conversation', root, node, view: 'answers' });
  },
  async fork(loom) {
    await loadedOne(loom);
    if (!editLastMessage(loom)) throw new Error('There is no message of yours on this branch');
  },
  async compact(loom) {
    const { tip } = await loadedOne(loom);
    loom.notices.tell('The model sums up what was said.');
    const { ended } = await loom.ask('turn.compact', { node: tip, ...chosenModel(loom) });
    loom.notices.tell(
      ended === 'done'
        ? 'From here on models read the summary. Nothing was lost.'
        : 'There is no summary: the model was stopped.',
    );
  },
  async title(loom, words) {
    const { root } = openOne(loom);
    if (words !== '') {
      await loom.ask('root.mark', { root, title: words });
      return;
    }
    const { provider, model } = chosenModel(loom);
    const { title, failure } = await loom.ask('root.suggest_title', { root, provider, model });
    if (title === undefined) throw new Error(failure ?? 'The model has found no name');
  },
  new: ({ go }) => go({ name: 'new' }),
  async stop(loom) {
    if (!(await stop(loom))) throw new Error('No model is writing on this branch');
  },
  help: ({ composer }) => composer.write('/'),
};

function chooseModel({ models, notices, isPickerOpen }: Loom, words: string): void {
  if (words === '') return isPickerOpen.set(true);
  const usable = models.known.getSnapshot().models.filter((model) => model.usable);
  const found = usable.find((model) => isNamed(model, words)) ?? usable.find(({ name }) => matches(name, words));
  if (found === undefined) throw new Error(`No model that can be asked is called ${words}`);
  models.picked.update((picked) => pick(picked, found.name, { beside: false }));
  return notices.tell(`${found.name} answers from now on.`);
}

/** Returns the conversation once the end of its branch is known. */
async function loadedOne(loom: Loom): Promise<OpenConversation> {
  const open = openOne(loom);
  await open.untilLoaded();
  return open;
}

function openOne({ conversation }: Loom): OpenConversation {
  const open = conversation.getSnapshot();
  if (open === undefined) throw new Error('There is no conversation yet. Write a message first');
  return open;
}
