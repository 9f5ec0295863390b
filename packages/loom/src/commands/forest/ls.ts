import { personWords } from '@loom/blocks';
import { deriveTitle, senderOf } from '@loom/kernel';
import { shorten } from '../../chat/drawing/cards.ts';
import { showControls } from '../../chat/drawing/column.ts';
import type { Call } from '../../command-line/command.ts';
import { EXIT, type ExitCode } from '../../command-line/exit-codes.ts';
import { timeAgo } from '../../forest-view/time-ago.ts';
import { noteOf } from '../../runtime/files-note.ts';
import { UsageError } from '../../command-line/failure.ts';
import { listConversations, type ConversationFilters, type ListedConversation } from '../../runtime/conversations.ts';
import type { Loom } from '../../runtime/loom.ts';
import { listProjects, projectNamed, type ListedProject } from '../../runtime/named-project.ts';
import { nameAmong } from '../../runtime/named-place.ts';
import { mostChecked, withReader } from '../../runtime/opened-folder.ts';
import { styleFor, type Style } from '../../terminal/style.ts';
import { suggest } from '../../command-line/suggested-command.ts';
import { screenWidth } from '../../terminal/terminal.ts';
import { orFail } from '../../words/refusal-error.ts';

/** `loom ls` */
export function listRoots(call: Call): Promise<ExitCode> {
  const { options, dataDir, isJson, terminal } = call;
  return withReader({ dataDir, note: noteOf(terminal, isJson) }, async (loom) => {
    const { lost, damaged: unreadable } = loom;
    const deleted = options.has('deleted');
    const archived = options.has('archived') ? ('only' as const) : deleted ? ('with' as const) : ('without' as const);
    // Edits of files come first. A list is made without a look into logs: damage in the latest is found here.
    const { items: recent } = orFail(await loom.call('root.list', { deleted, archived, limit: mostChecked }));
    for (const { id } of recent) {
      await loom.check(id);
      await loom.verify(id);
    }
    const filters = await filtersOf(loom, call);
    const roots = await listConversations(loom, { ...filters, deleted, archived });
    if (isJson) {
      for (const { id, nodes, created, updated, tags, archived: isArchived, project, ...root } of roots) {
        const title = titleIn(root);
        const { config } = root;
        const damaged = root.damaged ?? unreadable.get(id)?.message;
        const lost_change = lost.get(id)?.seq;
        terminal.out(
          `${JSON.stringify({ id, title: shorten(title, 80), nodes, created, updated, tags, deleted, archived: isArchived, project, config, damaged, lost_change })}\n`,
        );
      }
      // A conversation no longer listed is a row all the same: it must not be gone without a word.
      const listed = new Set(roots.map(({ id }) => id));
      for (const [log, { seq }] of lost)
        if (!listed.has(log)) terminal.out(`${JSON.stringify({ id: log, lost_change: seq })}\n`);
      return EXIT.ok;
    }
    const ids = roots.map(({ id }) => id);
    const [style, width] = [styleFor(terminal, 'out'), screenWidth(terminal)];
    const lineOf = ({ id, nodes, updated, ...root }: ListedConversation): string => {
      const title = titleIn(root);
      const sender = senderOf(root.config);
      const from = sender === undefined ? '' : `, sent out by ${nameAmong(ids, sender)}`;
      const known = `${timeAgo(Date.parse(updated))}, ${nodes} ${nodes === 1 ? 'node' : 'nodes'}${lost.has(id) ? ', log lost' : ''}${from}`;
      const mark = unreadable.get(id)?.code === 'store-denied' ? 'no permission' : 'damaged';
      const facts = root.damaged === undefined && !unreadable.has(id) ? known : mark;
      return `${rootLine({ id, title, facts }, style, width)}\n`;
    };
    const isGrouped = options.has('by-project');
    const lines = isGrouped ? groupLines(await listProjects(loom), roots, lineOf, style) : roots.map(lineOf);
    // At once: writing each line takes as long as making it.
    if (lines.length > 0) terminal.out(lines.join(''));
    if (roots.length === 0) {
      terminal.note(
        Object.keys(filters).length > 0
          ? 'No conversation matches.\n'
          : deleted || archived === 'only'
            ? `No conversation is ${deleted ? 'deleted' : 'archived'}.\n`
            : `There is no conversation in ${dataDir}. To start one: ${suggest('chat')}\n`,
      );
    }
    return EXIT.ok;
  });
}

/** Reads the filters from the options: each narrows the list further. */
async function filtersOf(loom: Loom, { options, repeated }: Call): Promise<ConversationFilters> {
  const project = options.get('project');
  const text = options.get('text');
  const filters: ConversationFilters = {};
  if (typeof project === 'string') filters.project = await projectNamed(loom, project);
  if (typeof text === 'string') filters.text = text;
  if (options.has('pinned')) filters.pinned = true;
  const [states = [], models = [], sources = []] = ['state', 'model', 'source'].map((name) => repeated.get(name));
  if (states.length > 0) filters.state = states.map(stateNamed);
  if (models.length > 0) filters.model = [...models];
  if (sources.length > 0) filters.source = [...sources];
  return filters;
}

function stateNamed(name: string): (typeof states)[number] {
  const found = states.find((state) => state === name);
  if (found !== undefined) return found;
  throw new UsageError('bad-value', `there is no state ${name}`, { advice: `Use one of ${states.join(', ')}.` });
}

const states = ['waiting', 'running', 'failed', 'done'] as const;

/** Returns the lines of conversations below the names of their projects, in the order of `project.list`. */
function groupLines(
  projects: readonly ListedProject[],
  roots: readonly ListedConversation[],
  lineOf: (root: ListedConversation) => string,
  style: Style,
): string[] {
  const groups = Map.groupBy(roots, ({ project = '' }) => project);
  const known = new Map(projects.map((listed) => [listed.project, listed]));
  const order = [...new Set([...known.keys(), ...groups.keys()])].filter((project) => groups.has(project));
  return order.flatMap((project, index) => {
    const own = groups.get(project) ?? [];
    const { name = project, directory = '' } = known.get(project) ?? {};
    const head = `${style.strong(project === '' ? 'no project' : showControls(name))}  ${own.length}  ${style.faint(showControls(directory))}`;
    return [`${index === 0 ? '' : '\n'}${head.trimEnd()}\n`, ...own.map((root) => `  ${lineOf(root)}`)];
  });
}

function titleIn({ title, opening, damaged }: Pick<ListedConversation, 'title' | 'opening' | 'damaged'>): string {
  if (damaged !== undefined) return '(cannot be read)';
  return title ?? showControls(deriveTitle(personWords(opening) || opening));
}

function rootLine(root: { id: string; title: string; facts: string }, style: Style, width: number): string {
  const { id, title, facts } = root;
  const room = Math.max(16, width - id.length - facts.length - 4);
  const shown = shorten(showControls(title), room) || '(empty)';
  return `${style.faint(id)}  ${style.strong(shown)}  ${style.faint(facts)}`;
}
