import type { CallErrorCode } from '@loom/kernel';
import { breakdown, refusal } from './failure-topics.ts';
import type { Reading } from './reading.ts';
import { quote, say } from './script.ts';
import type { Script } from './script.ts';
import { tour } from './tool-topics.ts';
import { answer } from './topics.ts';
import { long, slow, thinkFirst } from './writing-topics.ts';

/** A model of the demo, as a list of models shows it. */
export interface DemoModel {
  /** The part after the provider: `slow` of `demo:slow`. */
  name: string;
  description: string;
}

interface ScriptedModel extends DemoModel {
  write: (reading: Reading) => Script;
}

const models: readonly ScriptedModel[] = [
  { name: 'demo', description: 'Answers by keyword; say “help” for the list', write: answer },
  { name: 'terse', description: 'Answers in one line; ask it beside another model', write: terse },
  { name: 'slow', description: 'Tells a story for more than ten seconds, in many small pieces', write: slow.write },
  { name: 'long', description: 'Gives a long answer with everything that Markdown has', write: long.write },
  { name: 'thinking', description: 'Thinks before it answers', write: think },
  {
    name: 'tools',
    description: 'Uses the tools that it is offered, some of them with your approval',
    write: tour.write,
  },
  { name: 'echo', description: 'Says what you said', write: ({ said }) => say(said === '' ? '…' : said) },
  { name: 'refusal', description: 'Declines to answer', write: refusal.write },
  { name: 'error', description: 'Breaks off in the middle of a sentence', write: breakdown.write },
];

/** The demo's models; `demo` alone means the first one. */
export const demoModels: readonly DemoModel[] = models.map(({ name, description }) => ({ name, description }));

/** Returns a model's answer to a request. */
export function writeScript(name: string, reading: Reading): Script {
  if (reading.hasForgedThinking) return fail('invalid-request', 'A thought of the demo came back with other words.');
  const model = name === '' ? models[0] : models.find((candidate) => candidate.name === name);
  if (model !== undefined) return model.write(reading);
  const names = models.map((candidate) => candidate.name).join(', ');
  return fail('unknown-model', `The demo has no model ${quote(name)}. Choose one of: ${names}.`);
}

function terse({ said }: Reading): Script {
  return say(said === '' ? 'Yes?' : `In short: ${quote(said, 40)} Noted.`);
}

function think(reading: Reading): Script {
  const thought =
    reading.results.length > 0
      ? `${reading.results.length} results are in. Do they say enough? Let me see what is still missing.`
      : `The person said ${quote(reading.said, 60)}. Is there a word in it that I know? Let me look through my script.`;
  return thinkFirst(thought, answer(reading));
}

function fail(code: CallErrorCode, message: string): Script {
  return { lines: [], ending: { type: 'call-error', error: { code, message } } };
}
