import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import type { Client, ReadResourceResult } from '@modelcontextprotocol/client';
import { connectClient } from '../testing/mcp-client.ts';
import { serveLoom } from '../testing/served-loom.ts';
import type { Served } from '../testing/served-loom.ts';

interface World {
  served: Served;
  root: string;
  other: string;
  /** May use the first conversation alone. */
  client: (mode?: 'auto' | 'legacy') => Promise<Client>;
}

async function openWorld(t: TestContext): Promise<World> {
  const served = await serveLoom(t);
  const [root, other] = [await begin(served, 'What is a loom?'), await begin(served, 'A secret')];
  await served.requests.call('root.mark', { root, title: 'Weaving' });
  const { token } = await served.as({ agent: 'helper', type: 'model', role: 'reader', roots: [root] });
  return { served, root, other, client: (mode) => connectClient(t, served.url, token, mode) };
}

async function begin({ requests }: Served, question: string): Promise<string> {
  const { root } = await requests.call('root.create', { config: { systemPrompt: 'Be brief.' } });
  const answer = [{ role: 'assistant' as const, content: 'A frame for weaving.' }];
  await requests.call('node.append', { parent: root, messages: [{ role: 'user', content: question }, ...answer] });
  return root;
}

function textIn({ contents: [content] }: ReadResourceResult): string {
  return content !== undefined && 'text' in content ? content.text : assert.fail();
}

test('[MC10] conversations that the client may see are listed, and read as Markdown and as JSON', async (t) => {
  const { client, root, other } = await openWorld(t);
  const agent = await client();
  const { resources } = await agent.listResources();
  assert.deepEqual(
    resources.map(({ uri, title, mimeType }) => ({ uri, title, mimeType })),
    [{ uri: `loom://conversations/${root}`, title: 'Weaving', mimeType: 'text/markdown' }],
  );
  const text = textIn(await agent.readResource({ uri: `loom://conversations/${root}` }));
  assert.equal(
    text,
    `# Weaving\n\n## System prompt\n\nBe brief.\n\n## user · ${root}/node-1\n\nWhat is a loom?\n\n## assistant · ${root}/node-2\n\nA frame for weaving.\n`,
  );
  const json: unknown = JSON.parse(textIn(await agent.readResource({ uri: `loom://conversations/${root}/json` })));
  assert.match(JSON.stringify(json), /"title":"Weaving".*"nodes":\[.*"A frame for weaving\."/u);
  const branch = encodeURIComponent(`${root}/node-1`);
  assert.match(
    textIn(await agent.readResource({ uri: `loom://branches/${branch}` })),
    /^## user · .*\n\nWhat is a loom\?\n$/u,
  );
  for (const uri of [
    `loom://conversations/${other}`,
    'loom://conversations/none',
    'loom://else',
    'loom://branches/%ff',
  ])
    await assert.rejects(agent.readResource({ uri }), /not found/iu, uri);
});

test('[MC10] the addresses are told as templates, and completed by ids and titles', async (t) => {
  const { client, root, other } = await openWorld(t);
  const agent = await client();
  const { resourceTemplates } = await agent.listResourceTemplates();
  const templates = resourceTemplates.map(({ uriTemplate }) => uriTemplate);
  assert.deepEqual(templates, [
    'loom://conversations/{conversation}',
    'loom://conversations/{conversation}/json',
    'loom://branches/{message}',
  ]);
  const complete = async (name: string, value: string): Promise<string[]> => {
    const ref = {
      type: 'ref/resource' as const,
      uri: name === 'message' ? (templates[2] ?? '') : (templates[0] ?? ''),
    };
    return (await agent.complete({ ref, argument: { name, value } })).completion.values;
  };
  assert.deepEqual(await complete('conversation', 'weav'), [root]);
  assert.deepEqual(await complete('conversation', root.slice(0, 6)), [root]);
  assert.deepEqual(await complete('conversation', other), []);
  assert.deepEqual(await complete('message', `${root}/`), [`${root}/node-2`]);
});

for (const mode of ['auto', 'legacy'] as const) {
  test(`[MC11] a client hears that a conversation which it follows has changed, and of no other (${mode})`, async (t) => {
    const { client, served, root, other } = await openWorld(t);
    const agent = await client(mode);
    const uri = `loom://conversations/${root}`;
    const heard = Promise.withResolvers<string>();
    agent.setNotificationHandler('notifications/resources/updated', ({ params }) => heard.resolve(params.uri));
    if (mode === 'auto') {
      await agent.listen({ resourceSubscriptions: [uri, `loom://conversations/${other}`] });
    } else {
      await agent.subscribeResource({ uri });
      await assert.rejects(agent.subscribeResource({ uri: `loom://conversations/${other}` }), /not found/iu);
    }
    await served.requests.call('root.mark', { root: other, title: 'Other' });
    await served.requests.call('root.mark', { root, title: 'Looms' });
    assert.equal(await heard.promise, uri);
    assert.deepEqual(served.failures, []);
  });
}
