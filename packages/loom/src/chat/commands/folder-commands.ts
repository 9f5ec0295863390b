import type { ResultOf } from '@loom/kernel';
import { nearest } from '@loom/blocks/nearest-word';
import { LoomError } from '../../command-line/failure.ts';
import { orFail } from '../../words/refusal-error.ts';
import type { Loom } from '../../runtime/loom.ts';
import { isAgent } from '../../models/agents/agents.ts';
import type { ProviderTool } from '../conversation-start.ts';
import type { Conversation } from '../conversation.ts';
import type { Column, Line } from '../drawing/column.ts';
import { toolLines, whyNotWords } from '../drawing/tool-lines.ts';
import { modeWords, readFolder, readMode } from '../folder-choice.ts';

/** The parts of a chat that these commands use. */
interface Screen {
  loom: Loom;
  column: Column;
}

/** `/dir [folder]` */
export async function chooseFolder(rest: string, conversation: Conversation, { column }: Screen): Promise<undefined> {
  if (rest !== '') await conversation.configure({ directory: readFolder(rest) });
  const { directory } = conversation;
  column.addLines([
    faint(
      directory === undefined
        ? 'There is no folder, so models get only the tools that need none. Choose one: /dir .'
        : `Tools work in ${directory}, mode ${conversation.mode}.`,
    ),
  ]);
}

/** `/mode [mode]` */
export async function changeMode(rest: string, conversation: Conversation, { column }: Screen): Promise<undefined> {
  if (rest !== '') await conversation.configure({ approval_mode: readMode(rest) });
  const { mode } = conversation;
  const lines = Object.entries(modeWords).map(([name, words]): Line => {
    const text = `${name === mode ? '→' : ' '} ${name.padEnd(8)} ${words}`;
    return name === mode ? { text } : { text, tone: 'faint' };
  });
  column.addLines(lines);
}

/** `/tools [+name -name …]`; web_search and code_execution run at the provider of the model. */
export async function chooseTools(
  rest: string,
  conversation: Conversation,
  { loom, column }: Screen,
): Promise<undefined> {
  const tools = await listed(loom, conversation);
  const words = rest.split(/\s+/u).filter((word) => word !== '');
  if (words.length === 0) {
    column.addLines([...toolLines(tools), ...providerLines(conversation)]);
    return;
  }
  const atProvider = new Set(conversation.providerTools);
  const chosen = new Set(conversation.chosenTools ?? tools.filter(({ offered }) => offered).map(({ name }) => name));
  const isOfLoom = words.some((word) => !isProviderTool(word.replace(/^[+-]/u, '')));
  for (const word of words) {
    const name = word.replace(/^[+-]/u, '');
    if (isProviderTool(name)) {
      if (word.startsWith('-')) atProvider.delete(name);
      else atProvider.add(name);
      continue;
    }
    if (!tools.some((tool) => tool.name === name)) throw unknownTool(name, tools);
    if (word.startsWith('-')) chosen.delete(name);
    else chosen.add(name);
  }
  const isAtProvider = words.some((word) => isProviderTool(word.replace(/^[+-]/u, '')));
  await conversation.configure({
    ...(isOfLoom ? { tools: [...chosen].sort() } : {}),
    ...(isAtProvider ? { provider_tools: [...atProvider].sort() } : {}),
  });
  const now = conversation.root === undefined ? [] : await listed(loom, conversation);
  const useless = now.filter(({ name, offered }) => chosen.has(name) && !offered);
  column.addLines([
    faint(`The tools of this conversation: ${[...chosen].sort().join(', ') || 'none'}.`),
    ...providerLines(conversation),
    ...useless.map(({ name, why_not: why }) => faint(`${name} ${why === undefined ? 'is off' : whyNotWords[why]}.`)),
  ]);
}

const providerToolWords: Readonly<Record<ProviderTool, string>> = {
  web_search: 'searches the web',
  code_execution: 'runs code',
};

function isProviderTool(name: string): name is ProviderTool {
  return Object.hasOwn(providerToolWords, name);
}

/** The tools that run at the provider: Loom neither sees nor asks about them, and agents have their own. */
function providerLines({ model, providerTools }: Conversation): Line[] {
  if (model.provider === 'demo' || isAgent(model)) return [];
  return [
    { text: `at ${model.provider}, without asking`, tone: 'strong' },
    ...Object.entries(providerToolWords).map(([name, words]): Line => {
      const isOn = providerTools.some((one) => one === name);
      const text = `  ${isOn ? '✔' : '·'} ${name.padEnd(14)}  ${words}`;
      return isOn ? { text } : faint(text);
    }),
  ];
}

type ListedTool = ResultOf<'tool.list'>['items'][number];

async function listed(loom: Loom, { root, model }: Conversation): Promise<ListedTool[]> {
  const place = root === undefined ? {} : { root };
  const { items } = orFail(
    await loom.call('tool.list', { ...place, provider: model.provider, model: model.model, limit: 1000 }),
  );
  return items;
}

function unknownTool(name: string, tools: readonly ListedTool[]): LoomError {
  const guess = nearest(
    name,
    tools.map((tool) => tool.name),
  );
  return new LoomError('unknown-tool', `there is no tool ${name}`, {
    advice: guess === undefined ? '/tools lists them.' : `Did you mean ${guess}?`,
  });
}

function faint(text: string): Line {
  return { text, tone: 'faint' };
}
