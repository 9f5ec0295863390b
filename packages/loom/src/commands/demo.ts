import type { Call } from '../command-line/command.ts';
import { EXIT, type ExitCode } from '../command-line/exit-codes.ts';
import { LoomError } from '../command-line/failure.ts';
import { listConversations, listIds } from '../runtime/conversations.ts';
import { nameInCommands } from '../runtime/named-place.ts';
import { withWriter } from '../runtime/opened-folder.ts';
import { growSampleForest } from '../sample/sample-forest.ts';
import { SampleTime } from '../sample/sample-time.ts';
import { suggest } from '../command-line/suggested-command.ts';
import { friendlyPath } from './config/config-view.ts';

/** `loom demo` */
export async function growDemo(call: Call): Promise<ExitCode> {
  const { dataDir, store, isJson, terminal } = call;
  const time = new SampleTime(Date.now());
  return withWriter({ dataDir, store, clock: time.clock, pace: time.pace }, async (loom) => {
    const present = await listIds(loom);
    if (present.length > 0) {
      throw new LoomError('not-empty', `there are conversations in ${friendlyPath(dataDir, terminal)} already`, {
        advice: 'Give the sample a folder of its own: loom demo --data-dir ~/loom-demo',
      });
    }
    await growSampleForest(loom, time);
    const roots = (await listConversations(loom)).reverse();
    if (isJson) {
      const grown = roots.map(({ id, title, nodes }) => ({ root: id, title, nodes }));
      terminal.out(`${JSON.stringify({ ok: true, roots: grown })}\n`);
      return EXIT.ok;
    }
    const nodes = roots.reduce((sum, root) => sum + root.nodes, 0);
    const folder = friendlyPath(dataDir, terminal);
    const tries = ['ls', 'tree', 'bookmark', 'chat --continue'].map((line) => `  ${suggest(line)}\n`);
    terminal.out(
      `Grew ${roots.length} conversations with ${nodes} messages in ${folder}. Have a look:\n\n${tries.join('')}`,
    );
    const [first] = roots;
    if (first === undefined) return EXIT.ok;
    const name = await nameInCommands(loom, `${first.id}/node-2`);
    terminal.out(`\nEach conversation has a node-2. To name one of them: ${suggest(`show ${name}`)}\n`);
    return EXIT.ok;
  });
}
