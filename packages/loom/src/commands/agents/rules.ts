import type { ResultOf } from '@loom/kernel';
import { textOption } from '../../chat/answerer.ts';
import { readFolderChoice } from '../../chat/folder-choice.ts';
import { renderRule } from '../../chat/drawing/asked-lines.ts';
import { showControls } from '../../chat/drawing/column.ts';
import type { Call } from '../../command-line/command.ts';
import { EXIT, type ExitCode } from '../../command-line/exit-codes.ts';
import { LoomError, UsageError } from '../../command-line/failure.ts';
import { suggest } from '../../command-line/suggested-command.ts';
import { timeAgo } from '../../forest-view/time-ago.ts';
import { noteOf } from '../../runtime/files-note.ts';
import { withPresentData } from '../../runtime/present-data.ts';
import { styleFor } from '../../terminal/style.ts';
import { count } from '../../terminal/progress.ts';
import { orFail } from '../../words/refusal-error.ts';

type Rule = ResultOf<'permission.list'>['items'][number];

/** `loom approvals rules`: the rules of the configuration in their order, and how often each was used. */
export function listRules(call: Call): Promise<ExitCode> {
  const { dataDir, store, isJson, terminal } = call;
  return withPresentData({ dataDir, store, note: noteOf(terminal, isJson) }, async (loom) => {
    const { items } = orFail(await loom.call('permission.list', {}));
    const style = styleFor(terminal, 'out');
    for (const item of items) {
      if (isJson) {
        terminal.out(`${JSON.stringify(item)}\n`);
        continue;
      }
      const [sentence, ...stored] = renderRule(item.rule);
      terminal.out(`${style.strong(item.id)}  ${style.faint(showControls(useWords(item)))}\n`);
      for (const line of sentence === undefined ? stored : [sentence]) terminal.out(`${showControls(line.text)}\n`);
    }
    if (items.length === 0) terminal.note('There are no rules: every call that needs a person asks.\n');
    return EXIT.ok;
  });
}

/** `loom approvals forget <rule>` */
export function forgetRule(call: Call): Promise<ExitCode> {
  const { words, dataDir, store, isJson, terminal } = call;
  const [id = ''] = words;
  const note = noteOf(terminal, isJson);
  return withPresentData({ dataDir, store, note }, async (loom) => {
    const { removed } = orFail(await loom.call('permission.remove', { id }));
    if (!removed) {
      throw new LoomError('no-such-rule', `there is no rule ${id}`, {
        advice: `See the rules: ${suggest('approvals rules')}`,
      });
    }
    if (isJson) terminal.out(`${JSON.stringify({ id, removed })}\n`);
    else note(`${id} is removed. What it covered asks again.\n`);
    return EXIT.ok;
  });
}

/** `loom approvals test <command …>`: says what would happen to a call, and why. Nothing runs. */
export function testCall(call: Call): Promise<ExitCode> {
  const { words, options, dataDir, store, isJson, terminal } = call;
  return withPresentData({ dataDir, store, note: noteOf(terminal, isJson) }, async (loom) => {
    const { directory = process.cwd(), approval_mode: mode } = readFolderChoice(options);
    const about = aboutOf(textOption(options, 'tool') ?? 'shell', words.join(' '));
    const params = { ...about, directory, ...(mode === undefined ? {} : { mode }) };
    const outcome = orFail(await loom.call('permission.test', params));
    if (isJson) {
      terminal.out(`${JSON.stringify(outcome)}\n`);
      return EXIT.ok;
    }
    const style = styleFor(terminal, 'out');
    terminal.out(`${style.strong(outcomeWords[outcome.permission])}: ${showControls(outcome.reason)}\n`);
    const lines = outcome.rule === undefined ? [] : renderRule(outcome.rule);
    for (const { text } of lines) terminal.out(`${showControls(text)}\n`);
    return EXIT.ok;
  });
}

const outcomeWords = { run: 'It runs', ask: 'It asks', deny: 'It is denied' } as const;

/** `loom approvals add allow|ask|deny <pattern …>` */
export function addRule(call: Call): Promise<ExitCode> {
  const { words, options, dataDir, store, isJson, terminal } = call;
  const [named = '', ...pattern] = words;
  const effect = effects.find((one) => one === named);
  if (effect === undefined) {
    throw new UsageError('bad-value', `a rule allows, asks or denies, not ${JSON.stringify(named)}`, {
      advice: `For example: ${suggest('approvals add allow "npm test"')}`,
    });
  }
  const note = noteOf(terminal, isJson);
  return withPresentData({ dataDir, store, note }, async (loom) => {
    const { tool, ...about } = aboutOf(textOption(options, 'tool') ?? 'shell', pattern.join(' '));
    const { directory } = readFolderChoice(options);
    const rule = { tool, ...about, effect, ...(directory === undefined ? {} : { directory }) };
    const { id } = orFail(await loom.call('permission.add', { rule }));
    if (isJson) terminal.out(`${JSON.stringify({ id, rule })}\n`);
    else {
      for (const { text } of renderRule(rule)) terminal.out(`${showControls(text)}\n`);
      note(`It is ${id}. A rule that denies always wins, else the first that matches.\n`);
    }
    return EXIT.ok;
  });
}

const effects = ['allow', 'ask', 'deny'] as const;

/** The command, machine or path that a rule or a call is about, by its tool. */
function aboutOf(tool: string, text: string): { tool: string; command?: string; host?: string; path?: string } {
  if (text === '') return { tool };
  if (tool === 'shell') return { tool, command: text };
  return tool === 'fetch_url' ? { tool, host: text } : { tool, path: text };
}

/** Says how often a rule was used, and where it comes from. */
function useWords({ uses, last_used: last, by, at }: Rule): string {
  const used = last === undefined ? 'not used yet' : `used ${count(uses, 'time')}, last ${timeAgo(Date.parse(last))}`;
  const stored = at === undefined ? 'written by hand' : `stored ${timeAgo(Date.parse(at))}`;
  return `${used} · ${stored}${by === undefined ? '' : ` by ${by}`}`;
}
