import { spawn } from 'node:child_process';
import type { Provider, ProviderEvent, Tool } from '@loom/kernel';
import { openLoom } from '../../open-loom.ts';

// A Loom for tests to kill: lets a model run each of the given commands in a separate conversation. Its arguments are the data folder, the
// folder of the conversations, and the commands.
const [dataDir = '', directory = '', ...commands] = process.argv.slice(2);

/** A model that runs the person's message as a command. */
const caller: Provider = {
  id: 'caller',
  async *stream({ messages }): AsyncGenerator<ProviderEvent> {
    yield { type: 'call-start' };
    const last = messages.at(-1)?.content[0];
    const command = last?.type === 'text' ? last.text : '';
    const block = { type: 'tool-use' as const, id: 'c', name: 'shell', parameters: { command } };
    yield { type: 'block', message: 'm', role: 'assistant', block };
    yield { type: 'call-end', reason: 'tool-use' };
  },
};

/** A planted fault: a tool that starts programs past the guard. */
const careless: Tool = {
  name: 'shell',
  description: 'Runs a command.',
  parameters: { type: 'object' },
  prepare: async () => ({ permission: 'run' }),
  run: ({ parameters: { command } }) =>
    new Promise((resolve) => {
      const child = spawn('bash', ['-c', String(command)], { cwd: directory, detached: true, stdio: 'ignore' });
      child.once('exit', () => resolve({ content: [] }));
    }),
};

const isCareless = process.env['LOOM_TEST_FAULT'] === 'past-the-guard';
const loom = await openLoom({ dataDir, providers: [caller], ...(isCareless ? { tools: [careless] } : {}) });
for (const command of commands) {
  const created = await loom.call('root.create', { config: { directory } });
  if (!created.ok) throw new Error(created.refusal.reason);
  const messages = [{ role: 'user' as const, content: command }];
  const said = await loom.call('node.append', { parent: created.value.root, messages });
  if (!said.ok) throw new Error(said.refusal.reason);
  const node = said.value.nodes[0] ?? '';
  const started = await loom.call('turn.start', { node, provider: 'caller', model: 'm', tools: ['shell'] });
  if (!started.ok) throw new Error(started.refusal.reason);
}
