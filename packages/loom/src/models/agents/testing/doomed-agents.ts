// Opens Loom and lets an agent speak in three conversations: in the middle of a turn, of a question, and of a turn that resumes its session. Says
// so when all three are there, and waits to be killed. Given the agent's name, and the words by which its question is known. Started by tests as a
// process.
import { openLoom } from '../../../open-loom.ts';

const [dataDir = '', directory = '', provider = 'claude', asking = '"kind":"ask"'] = process.argv.slice(2);
const loom = await openLoom({ dataDir });

async function asked<T>(outcome: Promise<{ ok: true; value: T } | { ok: false; refusal: unknown }>): Promise<T> {
  const answer = await outcome;
  if (!answer.ok) throw new Error(JSON.stringify(answer.refusal));
  return answer.value;
}

async function begin(): Promise<string> {
  const config = { directory, approval_mode: 'ask' as const };
  return (await asked(loom.call('root.create', { config }))).root;
}

async function start(root: string, content: string): Promise<string> {
  const parent = (await asked(loom.open(root))).recentLeaves(1)[0]?.id ?? root;
  const { nodes } = await asked(loom.call('node.append', { parent, messages: [{ role: 'user', content }] }));
  const node = nodes[0] ?? '';
  return (await asked(loom.call('turn.start', { node, provider, model: 'default' }))).turns[0] ?? '';
}

/** Waits until a conversation holds these words, or a question. */
async function until(root: string, words: string): Promise<void> {
  for (;;) {
    const nodes = [...(await asked(loom.open(root))).nodes.values()];
    if (nodes.some(({ blocks, ask }) => JSON.stringify([blocks, ask ?? {}]).includes(words))) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const [spoken, questioned, resumed] = [await begin(), await begin(), await begin()];
await start(spoken, 'speak');
await start(questioned, 'ask');
await loom.engine.turns.wait(await start(resumed, 'first'));
await start(resumed, 'second');
await Promise.all([until(spoken, 'Half of speak.'), until(questioned, asking), until(resumed, 'Half of second.')]);
console.log('there');
await new Promise(() => {});
