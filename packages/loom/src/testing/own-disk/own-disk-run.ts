// Uses a data folder that is a separate disk. To be run in a separate namespace; its last line is a report.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { runInside } from '../fake-terminal.ts';
import type { Outcome } from '../fake-terminal.ts';
import { endWithParent, finish, giveUp, mountPlace } from '../namespace/disk-namespace.ts';

export const ownDiskProgram = import.meta.filename;

const outcome = z.strictObject({ code: z.int(), out: z.string(), note: z.string() });

/** The outcomes of commands, one after the other, and the files beside the folder in the end. */
export const ownDiskReport = z.strictObject({
  migrated: outcome,
  restored: outcome,
  said: outcome,
  beside: z.array(z.string()),
});

if (import.meta.main) {
  endWithParent();
  finish(await useOwnDisk());
}

async function useOwnDisk(): Promise<z.infer<typeof ownDiskReport>> {
  const above = mountPlace();
  mount(above);
  const dataDir = join(above, 'data');
  mkdirSync(dataDir);
  mount(dataDir);
  const nodes = join(dataDir, 'root-1/nodes');
  mkdirSync(nodes, { recursive: true });
  const metadata = { timestamp: '2025-07-01T00:00:00.000Z', original_root_id: 'root-1', source_info: { type: 'user' } };
  const message = { role: 'user', content: 'What is it?' };
  const node = { id: 'root-1/node-1', root_id: 'root-1', parent_id: 'root-1', child_ids: [], message, metadata };
  writeFileSync(join(nodes, 'node-1.json'), JSON.stringify(node));
  const run = (...args: string[]): Promise<Outcome> => runInside(['--data-dir', dataDir, ...args]);
  const migrated = await run('migrate', '--backup', join(above, 'copy'));
  const backup = join(above, 'backup.jsonl');
  await run('backup', backup);
  const restored = await run('restore-backup', backup, '--replace');
  const said = await run('chat', '--continue', '-p', 'echo more');
  return { migrated, restored, said, beside: readdirSync(above).toSorted() };
}

function mount(place: string): void {
  const { status, stderr } = spawnSync('mount', ['-t', 'tmpfs', 'tmpfs', place], { encoding: 'utf8' });
  if (status !== 0) giveUp(`cannot mount a file system: ${stderr}`);
}
