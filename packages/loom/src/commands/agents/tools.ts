import type { ResultOf } from '@loom/kernel';
import { textOption } from '../../chat/answerer.ts';
import { readFolderChoice } from '../../chat/folder-choice.ts';
import type { Call } from '../../command-line/command.ts';
import { EXIT, type ExitCode } from '../../command-line/exit-codes.ts';
import { createModels, type Models } from '../../models/models.ts';
import { noteOf } from '../../runtime/files-note.ts';
import { withReader } from '../../runtime/opened-folder.ts';
import { systemClock } from '../../runtime/system-clock.ts';
import { styleFor } from '../../terminal/style.ts';
import { orFail } from '../../words/refusal-error.ts';
import { toolLines, whyNotWords } from '../../chat/drawing/tool-lines.ts';

type ListedTool = ResultOf<'tool.list'>['items'][number];

/** `loom tools` */
export async function listTools(call: Call): Promise<ExitCode> {
  const { words, options, dataDir, isJson, terminal } = call;
  const models = createModels({ dataDir, env: terminal.env, clock: systemClock });
  const model = await namedModel(textOption(options, 'model'), models);
  const { directory } = readFolderChoice(options);
  return withReader({ dataDir, models, note: noteOf(terminal, isJson) }, async (loom) => {
    const [named] = words;
    const place = named === undefined ? undefined : orFail(await loom.call('id.resolve', { text: named })).root;
    const root = place === undefined ? {} : { root: place };
    const { items } = orFail(
      await loom.call('tool.list', { ...root, provider: model.provider, model: model.model, limit: 1000 }),
    );
    const shown = place === undefined && directory !== undefined ? items.map(inFolder) : items;
    if (isJson) {
      for (const tool of shown) terminal.out(`${JSON.stringify(tool)}\n`);
      return EXIT.ok;
    }
    const style = styleFor(terminal, 'out');
    for (const { text, tone } of toolLines(shown)) terminal.out(`${tone === undefined ? text : style[tone](text)}\n`);
    if (shown.some(({ why_not: why }) => why === 'no-folder')) terminal.note(`${whyNotWords['no-folder']}: --dir .\n`);
    return EXIT.ok;
  });
}

/** A model by its whole name need not be usable: only its tools are asked for. */
async function namedModel(name: string | undefined, models: Models): Promise<{ provider: string; model: string }> {
  const [, provider, model] = /^([^/]+)\/(.+)$/u.exec(name ?? '') ?? [];
  return provider === undefined || model === undefined ? models.choose(name) : { provider, model };
}

/** A tool as a new conversation in a folder would offer it. */
function inFolder(tool: ListedTool): ListedTool {
  const { why_not: why, ...rest } = tool;
  return why === 'no-folder' ? { ...rest, offered: true } : tool;
}
