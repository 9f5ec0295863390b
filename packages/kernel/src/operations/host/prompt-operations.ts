import { z } from 'zod';
import { nearest } from '@loom/blocks/nearest-word';
import { rootId } from '../../forest/ids.ts';
import type { Home } from '../../homes/home-name.ts';
import { once } from '../../once.ts';
import { fillPrompt } from '../../prompts/fill-prompt.ts';
import { firstLine, promptContent, promptName, promptSources } from '../../prompts/prompt.ts';
import type { PromptContent, PromptFile, PromptPort, PromptSource, SkippedFile } from '../../prompts/prompt.ts';
import { refuse } from '../../refusal.ts';
import type { Outcome, Refused } from '../../refusal.ts';
import type { LoomEngine } from '../calling/engine.ts';
import { defineOperation } from '../operation.ts';
import type { Caller } from '../operation.ts';
import { refuseLimited, suffices } from '../permission.ts';

/** Rows about the library of prompts. The port that reads the files of other programs is handed in. */

const project = z
  .string()
  .min(1)
  .max(1000)
  .refine((id) => id.isWellFormed(), 'must not have half of a character');
const name = promptName.describe('The name, as it is typed behind a slash.');
const source = z.enum(promptSources).exactOptional().describe('Where it comes from. Default: the first that has it.');
const scope = {
  root: rootId.exactOptional().describe('The conversation it is for: its project and its folder count.'),
  directory: z.string().min(1).exactOptional().describe('The folder it is for, instead of a conversation. For owners.'),
  project: project.exactOptional().describe('The project it is for, as in root.list.'),
};
const keyPrefix = 'prompts/';

const listedPrompt = once(() =>
  promptContent()
    .omit({ text: true })
    .extend({
      name: z.string(),
      source: z
        .enum(promptSources)
        .describe(
          "own: the caller's home. project: the project's home. folder: .claude/commands of the folder. claude: ~/.claude/commands. codex: ~/.codex/prompts.",
        ),
      description: z.string(),
      characters: z.int().describe('The length of its text.'),
      hidden: z
        .boolean()
        .exactOptional()
        .describe('True if another prompt of the same name comes first; name its source to use it.'),
      path: z.string().exactOptional().describe('The file that holds it. It can be changed only there.'),
      allowed_tools: z
        .string()
        .exactOptional()
        .describe('The tools that its file asks for. They are shown and never granted.'),
    }),
);

const kept = once(() => promptContent().extend({ name: z.string() }));

export function promptOperations(port: PromptPort) {
  return [
    defineOperation({
      name: 'prompt.list',
      summary:
        "Lists the prompts of the library: the caller's own, those of a project, and, for owners, those in the command folders of Claude Code and Codex, which can only be read.",
      params: () => z.strictObject(scope),
      result: () =>
        z.strictObject({
          items: z.array(listedPrompt()),
          project: z.string().exactOptional().describe('The project whose prompts are listed.'),
          skipped: z
            .array(z.strictObject({ path: z.string(), reason: z.string() }))
            .describe(
              'Files that were not read, and why: link, too-large, not-text, empty, bad-name, too-many, unreadable.',
            ),
        }),
      effect: 'reads',
      run: async (engine, caller, params) => {
        const found = await readLibrary(engine, caller, { port, operation: 'prompt.list', ...params });
        if (!found.ok) return found;
        const { prompts, skipped, project: id } = found.value;
        const seen = new Set<string>();
        const items = prompts.map((prompt) => {
          const isHidden = seen.has(prompt.name);
          seen.add(prompt.name);
          return { ...describe(prompt), ...(isHidden ? { hidden: true } : {}) };
        });
        return { ok: true, value: { items, skipped, ...(id === undefined ? {} : { project: id }) } };
      },
    }),
    defineOperation({
      name: 'prompt.get',
      summary: 'Returns a prompt of the library with its text.',
      params: () => z.strictObject({ name, source, ...scope }),
      result: () => listedPrompt().extend({ text: z.string() }),
      refusals: ['prompt-not-found'],
      effect: 'reads',
      run: async (engine, caller, { name: wanted, source: from, ...params }) => {
        const found = await readLibrary(engine, caller, { port, operation: 'prompt.get', ...params });
        if (!found.ok) return found;
        const prompt = pick(found.value.prompts, wanted, from);
        return 'ok' in prompt ? prompt : { ok: true, value: { ...describe(prompt), text: prompt.text } };
      },
    }),
    defineOperation({
      name: 'prompt.fill',
      summary:
        'Fills the arguments into a prompt and returns the text to send. Nothing is sent: it is for a person to read first.',
      params: () =>
        z.strictObject({
          name,
          source,
          arguments: z
            .string()
            .max(100_000)
            .default('')
            .describe('The words behind the command. Quotes keep words together; FILE=a.ts fills $FILE.'),
          ...scope,
        }),
      result: () =>
        z.strictObject({
          text: z.string(),
          missing: z.array(z.string()).describe('Places without an argument, such as $2. They stay in the text.'),
          commands: z
            .array(z.string())
            .describe('Commands that the program of its file would run. They are not run and stay in the text.'),
          source: z.enum(promptSources),
          model: z.string().exactOptional().describe('The model that the prompt is meant for.'),
        }),
      refusals: ['prompt-not-found'],
      effect: 'reads',
      run: async (engine, caller, { name: wanted, source: from, arguments: words, ...params }) => {
        const found = await readLibrary(engine, caller, { port, operation: 'prompt.fill', ...params });
        if (!found.ok) return found;
        const prompt = pick(found.value.prompts, wanted, from);
        if ('ok' in prompt) return prompt;
        const filled = fillPrompt(prompt.text, words, prompt.argument_hint);
        const { model } = prompt;
        return {
          ok: true,
          value: {
            ...filled,
            commands: commandsIn(prompt),
            source: prompt.source,
            ...(model === undefined ? {} : { model }),
          },
        };
      },
    }),
    defineOperation({
      name: 'prompt.set',
      summary:
        "Keeps a prompt in the caller's own library or in a project's. One of that name is replaced and returned.",
      params: () => z.strictObject({ name, ...promptContent().shape, project: scope.project }),
      result: () => z.strictObject({ changed: z.boolean(), before: kept().exactOptional() }),
      effect: 'changes',
      role: 'reader',
      run: (engine, caller, { name: wanted, project: id, ...content }) =>
        change(engine, caller, { operation: 'prompt.set', wanted, id, content }),
    }),
    defineOperation({
      name: 'prompt.remove',
      summary:
        "Removes a prompt from the caller's own library or a project's and returns it, so that it can be set again.",
      params: () => z.strictObject({ name, project: scope.project }),
      result: () => z.strictObject({ changed: z.boolean(), before: kept().exactOptional() }),
      refusals: ['prompt-not-found'],
      effect: 'changes',
      role: 'reader',
      run: (engine, caller, { name: wanted, project: id }) =>
        change(engine, caller, { operation: 'prompt.remove', wanted, id }),
    }),
  ] as const;
}

type FoundPrompt = (PromptContent & { name: string; source: 'own' | 'project' }) | PromptFile;

interface Scope {
  operation: string;
  port: PromptPort;
  root?: string;
  directory?: string;
  project?: string;
}

interface Library {
  prompts: FoundPrompt[];
  skipped: SkippedFile[];
  project: string | undefined;
}

/** Reads all prompts that a caller may use for a conversation, a folder or a project; the one that wins comes first of its name. */
async function readLibrary(
  engine: LoomEngine,
  caller: Caller,
  { operation, port, root, directory: given, project: named }: Scope,
): Promise<Outcome<Library>> {
  const isOwner = suffices(caller.role, 'owner') && caller.roots === undefined;
  if (given !== undefined && !isOwner) return refuse({ reason: 'not-permitted', needs: 'owner', operation });
  const denied = named === undefined ? undefined : refuseLimited(caller, operation);
  if (denied !== undefined) return denied;
  const place = await placeOf(engine, root, given);
  const id = named ?? place.project;
  const files = isOwner ? await port.files(place.directory) : { prompts: [], skipped: [] };
  const homes = [
    ...(await readHome(engine, { person: caller.agent }, 'own')),
    ...(id === undefined || caller.roots !== undefined ? [] : await readHome(engine, { project: id }, 'project')),
  ];
  return {
    ok: true,
    value: { prompts: [...homes, ...files.prompts].sort(byName), skipped: files.skipped, project: id },
  };
}

async function placeOf(
  engine: LoomEngine,
  root: string | undefined,
  given: string | undefined,
): Promise<{ directory?: string; project?: string }> {
  const summary =
    root === undefined
      ? { config: given === undefined ? {} : { directory: given } }
      : (await engine.forest.log(root).read(({ config, project: mark }) => ({ config, project: mark }))).value;
  const { directory } = summary.config;
  const id = await engine.projects.find(summary);
  return {
    ...(typeof directory === 'string' ? { directory } : {}),
    ...(id === undefined ? {} : { project: id }),
  };
}

async function readHome(engine: LoomEngine, home: Home, from: 'own' | 'project'): Promise<FoundPrompt[]> {
  const entries = await engine.homes.list(home, keyPrefix);
  return entries.flatMap(({ key, value }) => {
    // home.set may have put anything there.
    const content = promptContent().safeParse(value);
    const wanted = promptName.safeParse(key.slice(keyPrefix.length));
    return content.success && wanted.success ? [{ ...content.data, name: wanted.data, source: from }] : [];
  });
}

function byName(one: FoundPrompt, other: FoundPrompt): number {
  if (one.name !== other.name) return one.name < other.name ? -1 : 1;
  return promptSources.indexOf(one.source) - promptSources.indexOf(other.source);
}

function describe({ text, ...prompt }: FoundPrompt) {
  return { ...prompt, description: prompt.description ?? firstLine(text), characters: text.length };
}

function pick(prompts: readonly FoundPrompt[], wanted: string, from: PromptSource | undefined): FoundPrompt | Refused {
  const found = prompts.find((prompt) => prompt.name === wanted && (from === undefined || prompt.source === from));
  return found ?? missingPrompt(wanted, prompts);
}

function missingPrompt(wanted: string, prompts: readonly FoundPrompt[]): Refused {
  const guess = nearest(
    wanted,
    prompts.map((prompt) => prompt.name),
  );
  return refuse({ reason: 'prompt-not-found', prompt: wanted, nearest: guess === undefined ? [] : [guess] });
}

/** Claude Code runs what stands between `!` and backticks, such as !`git status`. */
function commandsIn({ source: from, text }: FoundPrompt): string[] {
  if (from === 'own' || from === 'project') return [];
  return Array.from(text.matchAll(/!`([^`\n]+)`/gu), ([, command = '']) => command);
}

interface PromptChange {
  operation: string;
  wanted: string;
  id: string | undefined;
  /** Absent: the prompt is removed. */
  content?: PromptContent;
}

async function change(
  engine: LoomEngine,
  caller: Caller,
  { operation, wanted, id, content }: PromptChange,
): Promise<Outcome<{ changed: boolean; before?: PromptContent & { name: string } }>> {
  const denied = id === undefined ? undefined : refuseLimited(caller, operation);
  if (denied !== undefined) return denied;
  if (id !== undefined && !suffices(caller.role, 'writer'))
    return refuse({ reason: 'not-permitted', needs: 'writer', operation });
  const home: Home = id === undefined ? { person: caller.agent } : { project: id };
  const prompts = await readHome(engine, home, id === undefined ? 'own' : 'project');
  const found = prompts.find((prompt) => prompt.name === wanted);
  if (found === undefined && content === undefined) return missingPrompt(wanted, prompts);
  const outcome = await engine.homes.set(caller, home, [
    { key: `${keyPrefix}${wanted}`, ...(content === undefined ? {} : { value: { ...content } }) },
  ]);
  if (!outcome.ok) return outcome;
  const before = found === undefined ? undefined : kept().parse(withoutSource(found));
  return { ok: true, value: { changed: outcome.value > 0, ...(before === undefined ? {} : { before }) } };
}

function withoutSource({ source: _source, ...prompt }: FoundPrompt): object {
  return prompt;
}
