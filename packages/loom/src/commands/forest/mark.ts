import type { ParamsOf } from '@loom/kernel';
import type { Call } from '../../command-line/command.ts';
import { EXIT, type ExitCode } from '../../command-line/exit-codes.ts';
import { UsageError } from '../../command-line/failure.ts';
import { suggest } from '../../command-line/suggested-command.ts';
import type { Loom } from '../../runtime/loom.ts';
import { findPlace } from '../../runtime/named-place.ts';
import { projectNamed } from '../../runtime/named-project.ts';
import { withPresentData } from '../../runtime/present-data.ts';
import { count } from '../../terminal/progress.ts';
import { textOption } from '../../texts/number-option.ts';
import { orFail } from '../../words/refusal-error.ts';

type Marks = Omit<ParamsOf<'root.mark'>, 'root' | 'roots' | 'each'>;

/** `loom mark`: tags, moves, archives or renames conversations. */
export function markConversations(call: Call): Promise<ExitCode> {
  const { words, dataDir, store, isJson, terminal } = call;
  return withPresentData({ dataDir, store }, async (loom) => {
    const marks = await marksOf(loom, call);
    const roots: string[] = [];
    for (const word of words) roots.push((await findPlace(loom, word)).root);
    const { items = [] } = orFail(await loom.call('root.mark', { roots: [...new Set(roots)], ...marks }));
    const changed = items.filter(({ before }) => before !== undefined).length;
    const refused = items.filter(({ refusal }) => refusal !== undefined);
    if (isJson) terminal.out(`${JSON.stringify({ ok: refused.length === 0, items })}\n`);
    else terminal.out(changed === 0 ? 'Nothing has changed.\n' : `Changed ${count(changed, 'conversation')}.\n`);
    for (const { root, refusal } of refused) terminal.note(`${root} was left as it was: ${refusal?.reason}\n`);
    return refused.length > 0 ? EXIT.failed : EXIT.ok;
  });
}

async function marksOf(loom: Loom, { words, options, repeated }: Call): Promise<Marks> {
  const project = textOption(options, 'project');
  const title = textOption(options, 'title');
  if (options.has('archive') && options.has('unarchive'))
    throw new UsageError('bad-option', '--archive and --unarchive contradict each other');
  if (title !== undefined && words.length > 1)
    throw new UsageError('bad-option', '--title is for one conversation', { advice: 'Name one, or leave it out.' });
  const [add = [], remove = []] = ['tag', 'untag'].map((name) => repeated.get(name));
  const marks: Marks = {
    ...(add.length === 0 ? {} : { add_tags: [...add] }),
    ...(remove.length === 0 ? {} : { remove_tags: [...remove] }),
    ...(title === undefined ? {} : { title: title === '' ? null : title }),
    ...(project === undefined ? {} : { project: (await projectNamed(loom, project)) || null }),
    ...(options.has('archive') ? { archived: true } : options.has('unarchive') ? { archived: false } : {}),
  };
  if (Object.keys(marks).length > 0) return marks;
  throw new UsageError('bad-option', 'nothing is to be changed', {
    advice: `Say what, such as ${suggest('mark root-a1 --tag review')}`,
  });
}
