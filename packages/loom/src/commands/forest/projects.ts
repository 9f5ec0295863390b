import type { Call } from '../../command-line/command.ts';
import { EXIT, type ExitCode } from '../../command-line/exit-codes.ts';
import { timeAgo } from '../../forest-view/time-ago.ts';
import { noteOf } from '../../runtime/files-note.ts';
import { withReader } from '../../runtime/opened-folder.ts';
import { listProjects } from '../../runtime/named-project.ts';
import { suggest } from '../../command-line/suggested-command.ts';
import { showControls } from '../../chat/drawing/column.ts';
import { styleFor } from '../../terminal/style.ts';

/** `loom projects` */
export function showProjects({ dataDir, isJson, terminal }: Call): Promise<ExitCode> {
  return withReader({ dataDir, note: noteOf(terminal, isJson) }, async (loom) => {
    const projects = await listProjects(loom);
    if (isJson) {
      for (const project of projects) terminal.out(`${JSON.stringify(project)}\n`);
      return EXIT.ok;
    }
    const style = styleFor(terminal, 'out');
    const names = projects.map(({ project, name }) => (project === '' ? 'no project' : showControls(name)));
    const wide = Math.max(0, ...names.map((name) => name.length));
    for (const [index, { conversations, latest, state, directory = '' }] of projects.entries()) {
      const name = (names[index] ?? '').padEnd(wide);
      const count = `${conversations} ${conversations === 1 ? 'conversation' : 'conversations'}`;
      const facts = [count, timeAgo(Date.parse(latest)), ...(state === 'done' ? [] : [stateWords[state]])].join(', ');
      terminal.out(`${style.strong(name)}  ${facts}  ${style.faint(showControls(directory))}`.trimEnd() + '\n');
    }
    if (projects.length === 0)
      terminal.note(`There is no conversation in ${dataDir}. To start one: ${suggest('chat')}\n`);
    return EXIT.ok;
  });
}

const stateWords = { waiting: 'needs you', running: 'running', failed: 'failed', done: 'done' } as const;
