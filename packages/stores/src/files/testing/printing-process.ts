// A process that prints into a conversation of a data directory until it is killed, and says how far it has come.
import { createHash } from 'node:crypto';
import { LoomEngine } from '@loom/kernel';
import type { Provider, Tool } from '@loom/kernel';
import { openFileSystemStore } from '../open.ts';

const [directory = ''] = process.argv.slice(2);
const store = await openFileSystemStore({ directory });
const clock = {
  now: Date.now,
  after(milliseconds: number, callback: () => void): () => void {
    const timer = setTimeout(callback, milliseconds);
    return () => clearTimeout(timer);
  },
};
const printer: Tool = {
  name: 'sh',
  description: 'prints',
  parameters: { type: 'object' },
  prepare: async () => ({ permission: 'run' }),
  async run(_invocation, _context, out) {
    await out.start('c', { type: 'command', command: 'yes' });
    let printed = 0;
    for (let line = 0; ; line += 100) {
      const text = Array.from({ length: 100 }, (_, index) => `line ${line + index} 😀\n`).join('');
      await out.append('c', 'stdout', text);
      printed += Buffer.byteLength(text);
      process.stdout.write(`${JSON.stringify({ printed, time: Date.now() })}\n`);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  },
};
const provider: Provider = {
  id: 'caller',
  async *stream() {
    yield { type: 'call-start' };
    const block = { type: 'tool-use' as const, id: 'c', name: 'sh', parameters: {} };
    yield { type: 'block', message: 'm', role: 'assistant', block };
    yield { type: 'call-end', reason: 'tool-use' };
  },
};
let last = 0;
const parts = {
  clock,
  ids: { next: () => String((last += 1)).padStart(8, '0') },
  hash: { hex: (text: string) => createHash('sha256').update(text).digest('hex') },
  providers: [provider],
  tools: [printer],
};
const engine = new LoomEngine({ ...parts, store, holder: 'printer', exclusive: true });
const created = await engine.forest.createRoot({ agent: 'ann', id: 'root' }, {});
if (!created.ok) throw new Error(created.refusal.reason);
const { root } = created.value;
const said = await engine.forest.append({ agent: 'ann', id: 'said' }, root, {
  parent: root,
  messages: [{ role: 'user', content: [{ type: 'text', text: 'go' }] }],
});
if (!said.ok) throw new Error(said.refusal.reason);
await engine.turns.generate({ agent: 'ann', id: 'go' }, root, {
  node: said.value.nodes[0] ?? '',
  provider: 'caller',
  model: 'one',
  tools: ['sh'],
});
