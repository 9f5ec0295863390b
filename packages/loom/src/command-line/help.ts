import { isGroup, type Command, type HelpTable, type Option } from './command.ts';
import { spell, spellParameter } from './arguments.ts';
import type { Style } from '../terminal/style.ts';

/** Help for a command as data, for --json. */
export async function describeCommand(chain: readonly [Command, ...Command[]]) {
  const command = chain.at(-1) ?? chain[0];
  return {
    name: spell(chain),
    summary: command.summary,
    usage: usageOf(chain, command),
    description: command.description,
    commands: isGroup(command) ? command.subcommands.map(({ name, summary }) => ({ name, summary })) : [],
    options: chain
      .toReversed()
      .flatMap(({ options = [] }) => options)
      .map(({ name, short, value, summary }) => ({ name, short, value, summary })),
    examples: command.examples ?? [],
    details: (await command.details?.()) ?? [],
  };
}

/** Help for a command as text, at most 80 columns wide. */
export async function renderHelp(chain: readonly [Command, ...Command[]], style: Style): Promise<string> {
  const command = chain.at(-1) ?? chain[0];
  const about = await describeCommand(chain);
  const tables: HelpTable[] = [
    ...commandTables(command),
    { title: 'Options', rows: optionsOf(chain).map(optionRow) },
    ...about.details,
    { title: 'Examples', rows: about.examples.map(({ line, meaning = '' }) => [line, meaning] as const) },
    { title: 'Everywhere', rows: (chain[0].options ?? []).map(optionRow) },
  ];
  const parts = [
    chain.length === 1 ? '' : `${command.summary}.`,
    `${style.strong('Usage:')} ${about.usage}`,
    command.description ?? '',
    ...tables.filter(({ rows }) => rows.length > 0).map((table) => renderTable(table, style)),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

/** The subcommands in their sections, one below the other in the same columns. */
function commandTables(command: Command): HelpTable[] {
  if (!isGroup(command)) return [];
  const { subcommands, sections = [{ title: 'Commands', names: subcommands.map(({ name }) => name) }] } = command;
  const width = Math.max(...subcommands.map(({ name }) => name.length));
  const rowOf = (name: string): [string, string] => {
    const { summary = '' } = subcommands.find((one) => one.name === name) ?? {};
    return [name.padEnd(width), summary];
  };
  return sections.map(({ title, names }) => ({ title, rows: names.map(rowOf) }));
}

function usageOf(chain: readonly Command[], command: Command): string {
  const options = optionsOf(chain).length > 0 ? ' [options]' : '';
  if (isGroup(command))
    return `${spell(chain)} ${command.fallback === undefined ? '<command>' : '[command]'}${options}`;
  return [spell(chain) + options, ...(command.parameters ?? []).map(spellParameter)].join(' ');
}

/** The options of a command itself; those of the root are everybody's. */
function optionsOf(chain: readonly Command[]): Option[] {
  return chain.slice(1).flatMap(({ options = [] }) => options);
}

function optionRow({ name, short, value, summary }: Option): readonly [string, string] {
  return [`${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` <${value}>`}`, summary];
}

function renderTable({ title, rows }: HelpTable, style: Style): string {
  const width = Math.max(...rows.filter(([, right]) => right !== '').map(([left]) => left.length), 0);
  const lines = rows.map(([left, right]) =>
    right === '' ? `  ${left}` : `  ${left.padEnd(width)}  ${style.faint(right)}`,
  );
  return [style.strong(title), ...lines].join('\n');
}
