import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { ParamsOf } from '@loom/kernel';
import { z } from 'zod';
import { Requests } from '../../testing/requests.ts';
import { serveLoom } from '../../testing/served-loom.ts';
import type { Served, ServedOptions } from '../../testing/served-loom.ts';

/** Words that stand in places that no reader of a share may see. */
export const hiddenWords = [
  'hidden-thinking',
  'hidden-system',
  'hidden-native',
  'hidden-metadata',
  'hidden-raw',
  'hidden-branch',
  'hidden-later',
  'hidden-root',
  'hidden-title',
  'hidden-arguments',
  'hidden-note',
  'hidden-program',
  'hidden-blob',
  'hidden-child',
  'user-of-this-machine',
] as const;

/** A key that only its name gives away, and one that its shape does. */
export const namedSecret = 'q7Rk2vXz9LmP4sTw8YbN';
export const shapedSecret = 'ghp_Zk3mQ8vT1xR6bW9nL4pY7sD2fG5hJ0cKaEuI';

const made = z.object({ id: z.string(), path: z.string(), until: z.number() });
const copyAnswer = z.object({
  value: z.object({
    title: z.string().optional(),
    root: z.string(),
    leaf: z.string().optional(),
    replaced: z.boolean(),
    nodes: z.array(
      z.looseObject({
        id: z.string(),
        parent: z.string(),
        role: z.string(),
        blocks: z.array(z.looseObject({ type: z.string() })),
      }),
    ),
  }),
});
export type CopyAnswer = z.infer<typeof copyAnswer>['value'];

/** A server with a conversation that has something in every place that a share hides. */
export interface SharedScene extends Served {
  root: string;
  otherRoot: string;
  /** The end of the branch to share. */
  leaf: string;
  /** The message with the secrets. */
  said: string;
  /** The ids of the blobs that the branch shows, and of one that it does not. */
  blobs: { text: string; long: string; hidden: string };
  share(params?: object, by?: Requests): Promise<{ id: string; secret: string; until: number }>;
  /** Requests with the secret of a share. */
  reader(secret: string): Requests;
  copy(secret: string): Promise<CopyAnswer>;
}

export async function openSharedScene(t: TestContext, options: ServedOptions = {}): Promise<SharedScene> {
  const served = await serveLoom(t, options);
  const { requests, engine, url } = served;
  const home = ['', 'home', 'user-of-this-machine'].join('/');
  const directory = `${home}/code/tides`;
  const { root } = await requests.call('root.create', { config: { systemPrompt: 'hidden-system', directory } });
  const { root: otherRoot } = await requests.call('root.create', {});
  await requests.call('root.mark', { root: otherRoot, title: 'hidden-root' });
  await requests.call('node.append', { parent: otherRoot, messages: [{ role: 'user', content: 'hidden-root' }] });
  const put = (text: string): Promise<string> => engine.blobs.put(new TextEncoder().encode(text));
  const line = `${'x'.repeat(79)}\n`;
  const blobs = {
    text: await put(`API_KEY=${namedSecret}\nplain words\n`),
    // The key stands across the place where the beginning is cut off.
    long: await put(`${line.repeat(50).slice(0, -20)}${shapedSecret}\n${line.repeat(100)}the end\n`),
    hidden: await put('hidden-blob'),
  };
  const messages: ParamsOf<'node.append'>['messages'] = [
    {
      role: 'user',
      content: [
        {
          type: 'text',
          text: `Look at ${directory}/src/a.ts and ${home}/notes. API_KEY=${namedSecret}`,
        },
        { type: 'image', media_type: 'text/plain', blob: blobs.text, filename: 'keys.txt' },
        { type: 'image', media_type: 'application/pdf', blob: blobs.hidden, filename: 'plan.pdf' },
        { type: 'raw', source: 'claude', value: { secret: 'hidden-raw' } },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', text: 'hidden-thinking', provider: { claude: { signature: 'hidden-native' } } },
        { type: 'text', text: `I see ${namedSecret} again.`, metadata: { note: 'hidden-metadata' } },
        {
          type: 'tool-use',
          id: 'toolu_1',
          name: 'Bash',
          parameters: { command: 'cat keys', env: { GITHUB_TOKEN: shapedSecret }, password: 'tiGer-77!x' },
          arguments: `{ "command": "hidden-arguments" }`,
        },
      ],
    },
    {
      role: 'tool',
      tool_call_id: 'toolu_1',
      content: [
        { type: 'text', text: 'done' },
        {
          type: 'command',
          command: 'cat keys',
          stdout: { blob: blobs.long, bytes: 12_000, preview: shapedSecret.slice(0, 20), tail: 'the end\n' },
          exit_code: 0,
        },
      ],
    },
    { role: 'assistant', content: 'All done.' },
  ];
  const { nodes } = await requests.call('node.append', { parent: root, messages });
  const [said = '', answered = ''] = nodes;
  const leaf = nodes.at(-1) ?? assert.fail();
  await requests.call('node.append', { parent: leaf, messages: [{ role: 'user', content: 'hidden-later' }] });
  await requests.call('node.append', { parent: said, messages: [{ role: 'assistant', content: 'hidden-branch' }] });
  await requests.call('node.mark', { node: answered, title: 'hidden-title', custom_data: { about: 'hidden-note' } });
  await requests.call('root.mark', { root, title: `Tides ${shapedSecret}` });
  return {
    ...served,
    root,
    otherRoot,
    leaf,
    said,
    blobs,
    async share(params = {}, by = requests) {
      const answer = made.parse(await by.call('share.create', { place: leaf, ...params }));
      return { id: answer.id, secret: answer.path.split('#')[1] ?? assert.fail(), until: answer.until };
    },
    reader: (secret) => new Requests(url, secret, engine.operations),
    async copy(secret) {
      const answer = await new Requests(url, secret, engine.operations).fetch('/api/v1/share');
      assert.equal(answer.status, 200);
      return copyAnswer.parse(await answer.json()).value;
    },
  };
}
