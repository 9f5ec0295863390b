import type { ResultOf } from '@loom/kernel';
import { textOption } from '../../chat/answerer.ts';
import { shorten } from '../../chat/drawing/cards.ts';
import { showControls } from '../../chat/drawing/column.ts';
import type { Call } from '../../command-line/command.ts';
import { EXIT, type ExitCode } from '../../command-line/exit-codes.ts';
import { UsageError } from '../../command-line/failure.ts';
import { suggest } from '../../command-line/suggested-command.ts';
import { timeAgo } from '../../forest-view/time-ago.ts';
import { createModels } from '../../models/models.ts';
import { noteOf } from '../../runtime/files-note.ts';
import { withPresentData } from '../../runtime/present-data.ts';
import { systemClock } from '../../runtime/system-clock.ts';
import { styleFor } from '../../terminal/style.ts';
import { orFail } from '../../words/refusal-error.ts';

type BoardRow = ResultOf<'board.list'>['items'][number];

/** `loom board`: the turns that wait, run and have ended lately, in all conversations. */
export function showBoard({ options, dataDir, store, isJson, terminal }: Call): Promise<ExitCode> {
  const hours = Number(textOption(options, 'hours') ?? 24);
  if (!(hours >= 0 && hours <= mostHours))
    throw new UsageError('bad-option', `--hours must be a number from 0 to ${mostHours}`);
  const models = createModels({ dataDir, env: terminal.env, clock: systemClock });
  return withPresentData({ dataDir, store, models, note: noteOf(terminal, isJson) }, async (loom) => {
    const since = new Date(systemClock.now() - hours * 3_600_000).toISOString();
    const { items } = orFail(await loom.call('board.list', { since, limit: 500 }));
    if (isJson) {
      for (const row of items) terminal.out(`${JSON.stringify(row)}\n`);
      return EXIT.ok;
    }
    const style = styleFor(terminal, 'out');
    for (const { title, states, tone } of parts) {
      const rows = items.filter(({ state }) => states.includes(state));
      if (rows.length > 0) terminal.out(`${style[tone](`${title} ${rows.length}`)}\n`);
      for (const row of rows) terminal.out(`${linesOf(row).map(showControls).join('\n')}\n`);
    }
    if (items.length === 0) terminal.note('No turn waits, runs or has ended lately.\n');
    return EXIT.ok;
  });
}

/** About ten years. */
const mostHours = 87_600;

const parts: readonly { title: string; states: readonly BoardRow['state'][]; tone: 'odd' | 'strong' | 'faint' }[] = [
  { title: 'Needs you', states: ['waiting'], tone: 'odd' },
  { title: 'Running', states: ['running'], tone: 'strong' },
  { title: 'Finished', states: ['done', 'stopped', 'failed'], tone: 'faint' },
];

function linesOf(row: BoardRow): string[] {
  const { root_title: title, opening, root, provider, model, directory, state, changed_at: changed, waits } = row;
  const cost = row.cost_usd === undefined ? [] : [`$${row.cost_usd.toFixed(2)}`];
  const place = directory === undefined ? [] : [directory];
  const facts = [timeAgo(Date.parse(changed)), `${provider}/${model}`, ...place, ...cost];
  const ended = state === 'failed' || state === 'stopped' ? `${state}: ` : '';
  const next = waits === undefined ? `show ${root}` : `approvals allow ${waits[0] ?? ''}`;
  return [
    `  ${shorten(title ?? opening, 60)}  ${facts.join(' · ')}`,
    `    ${ended}${shorten(row.error?.message ?? lastOf(row), 100)}`,
    `    ${suggest(next)}`,
  ];
}

function lastOf({ last: { text, tool, parameters } }: BoardRow): string {
  if (tool === undefined) return text ?? '';
  const [first] = Object.values(parameters ?? {}).filter((value) => typeof value === 'string');
  return `● ${tool} ${first ?? ''}`.trim();
}
