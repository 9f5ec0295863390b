import { Conversation } from '../chat/conversation.ts';
import { demoModel } from '../models/demo-model.ts';
import type { Loom } from '../runtime/loom.ts';
import { orFail } from '../words/refusal-error.ts';
import type { SampleTime } from './sample-time.ts';

/** Grows a small forest that shows what Loom can do, by having the demo say it. Every call is approved but one. */
export async function growSampleForest(loom: Loom, time: SampleTime): Promise<void> {
  for (const grow of [growWorkshop, growPuzzle, growTour]) {
    await grow(new Gardener(loom, time));
    time.pass(40);
  }
}

/** A piece of work: a plan, a file, tests, sources; a call that was denied, an answer that broke off and a second try. */
async function growWorkshop(gardener: Gardener): Promise<void> {
  await gardener.begin('A greeting for the workshop', 'You help in a weaving workshop. Be brief.');
  await gardener.say('make a plan for the greeting card');
  await gardener.say('write a file with the greeting');
  const written = gardener.place;
  await gardener.say('show me an error, please');
  gardener.goTo(written);
  await gardener.say('run the tests');
  await gardener.bookmark('Tests pass');
  await gardener.say('search for the history of weaving');
  gardener.goTo(written);
  gardener.isApproving = false;
  await gardener.say('run `rm -rf notes`');
}

/** Thinking, and an edit that opens a branch. */
async function growPuzzle(gardener: Gardener): Promise<void> {
  await gardener.begin('Three threads, two cuts', undefined, 'thinking');
  await gardener.say('Here is a puzzle about threads. Think about it.');
  const question = gardener.parentOfPlace();
  await gardener.say('what do you see?');
  gardener.goTo(await gardener.edit(await question, 'Here is a puzzle about ropes. Think about it.'));
  await gardener.answer();
  await gardener.say('what do you see?');
}

/** Grows the first conversation: a greeting, the tour with its tools, and two other ways to go on. */
async function growTour(gardener: Gardener): Promise<void> {
  await gardener.begin('Welcome to Loom');
  await gardener.say('hello');
  const greeting = gardener.place;
  await gardener.say('give me the tour');
  await gardener.bookmark('The tour');
  gardener.goTo(greeting);
  await gardener.say('how do branches work?');
  gardener.goTo(greeting);
  await gardener.say('weather in Lisbon and Oslo');
  await gardener.say('thank you');
}

/** One conversation while it grows. */
class Gardener {
  isApproving = true;
  readonly #loom: Loom;
  readonly #time: SampleTime;
  #conversation: Conversation | undefined;

  constructor(loom: Loom, time: SampleTime) {
    this.#loom = loom;
    this.#time = time;
  }

  get place(): string {
    return this.#grown.place ?? '';
  }

  async begin(title: string, systemPrompt?: string, model?: string): Promise<void> {
    const { call } = this.#loom;
    const config = systemPrompt === undefined ? {} : { systemPrompt };
    const { root } = orFail(await call('root.create', { config }));
    orFail(await call('root.mark', { root, title }));
    const at = { root, place: root };
    this.#conversation = new Conversation(this.#loom, { model: demoModel(model), settings: {}, compaction: 'off', at });
    await this.#conversation.open();
  }

  async say(text: string): Promise<void> {
    this.#time.pass(2);
    await this.#grown.say(text);
    await this.#settle();
  }

  /** Has the node at hand answered. */
  async answer(): Promise<void> {
    this.#time.pass(1);
    await this.#grown.answer();
    await this.#settle();
  }

  goTo(place: string): void {
    this.#grown.goTo(place);
  }

  async parentOfPlace(): Promise<string> {
    const state = await this.#grown.state();
    return state?.nodes.get(this.place)?.parent ?? '';
  }

  /** Returns the node that holds the new text. */
  async edit(node: string, content: string): Promise<string> {
    this.#time.pass(3);
    return orFail(await this.#loom.call('node.edit', { node, content })).node;
  }

  async bookmark(title: string): Promise<void> {
    orFail(await this.#loom.call('node.bookmark', { node: this.place, title }));
  }

  async #settle(): Promise<void> {
    const conversation = this.#grown;
    while (conversation.isBusy) {
      const change = conversation.changed();
      for (const pending of conversation.calls.pending) {
        const denied = { decision: 'denied' as const, text: 'Not in my workshop.' };
        await conversation.decide(pending, this.isApproving ? { decision: 'approved' } : denied);
      }
      await change;
    }
  }

  get #grown(): Conversation {
    if (this.#conversation === undefined) throw new ReferenceError('nothing has begun to grow');
    return this.#conversation;
  }
}
