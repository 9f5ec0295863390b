import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openLoom } from '@loom/loom';
import { anthropicWire, startEmulator } from '@loom/providers/testing';
import { withOwnIds } from './agent-program.ts';
import type { AgentProgram } from './agent-program.ts';
import { asked } from './conversations.ts';
import type { AgentKind } from './installed-programs.ts';

type Check = (what: string, run: () => Promise<string>) => Promise<void>;

/** Passes one branch from the demo to Claude Code, Codex, a model behind an API, and Claude Code again: each must read everything said before. */
export async function tryHandovers(
  folder: string,
  programs: Readonly<Record<AgentKind, string>>,
  codex: AgentProgram,
  check: Check,
): Promise<void> {
  const [home, work, dataDir] = ['home', 'work', 'data'].map((name) => join(folder, name));
  if (home === undefined || work === undefined || dataDir === undefined) return;
  for (const each of [home, work, dataDir]) mkdirSync(each, { recursive: true });
  let answers = 0;
  const answer = (): { said: { say: string }[] } => ({ said: [{ say: `Answer ${(answers += 1)} of the emulator.` }] });
  const anthropic = await startEmulator(withOwnIds(anthropicWire), answer);
  const openai = await startEmulator(codex.wire, answer);
  codex.prepare({ home, work, emulator: openai });
  const variables = {
    HOME: home,
    ANTHROPIC_API_KEY: 'emulated',
    ANTHROPIC_BASE_URL: anthropic.url,
    OPENAI_API_KEY: 'emulated',
    DISABLE_TELEMETRY: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  };
  Object.assign(process.env, variables);
  writeFileSync(
    join(dataDir, 'config.toml'),
    `[agents.claude]
command = ${JSON.stringify(programs.claude)}
env = ${JSON.stringify(Object.keys(variables).filter((name) => name !== 'HOME' && name !== 'OPENAI_API_KEY'))}
[agents.codex]
command = ${JSON.stringify(programs.codex)}
env = ["OPENAI_API_KEY"]
[providers.anthropic]
apiKey = "emulated"
baseURL = "${anthropic.url}/v1"
`,
  );
  const loom = await openLoom({ dataDir });
  try {
    await check('one branch, from the demo to Claude Code, Codex, a model behind an API, and Claude Code', async () => {
      const config = { directory: work, approval_mode: 'edit' as const };
      const { root } = await asked(loom.call('root.create', { config }));
      let parent = root;
      const read: string[] = [];
      for (const [provider, model] of [
        ['demo', 'echo'],
        ['claude', 'claude-sonnet-4-5'],
        ['codex', 'default'],
        ['anthropic', 'claude-sonnet-4-5'],
        ['claude', 'claude-sonnet-4-5'],
      ] as const) {
        const emulator = provider === 'codex' ? openai : anthropic;
        const before = emulator.requests.length;
        const messages = [{ role: 'user' as const, content: `A message for ${provider}, number ${read.length}.` }];
        const { nodes } = await asked(loom.call('node.append', { parent, messages }));
        const node = nodes[0] ?? '';
        const { turns } = await asked(loom.call('turn.start', { node, provider, model }));
        await loom.engine.turns.wait(turns[0] ?? '');
        const state = await asked(loom.open(root));
        const bodies = emulator.requests.slice(before).map(({ body }) => body);
        const texts = state
          .pathTo(node)
          .flatMap(({ blocks }) => blocks.flatMap((block) => ('text' in block ? [block.text] : [])));
        const isRead = (body: string): boolean =>
          texts.every((text) => body.includes(JSON.stringify(text).slice(1, -1)));
        const [leaf] = state.recentLeaves(1);
        if (provider !== 'demo' && !bodies.some(isRead)) {
          const error = leaf?.blocks.find(({ type }) => type === 'error');
          const lacking = texts.filter(
            (text) => !bodies.some((body) => body.includes(JSON.stringify(text).slice(1, -1))),
          );
          throw new Error(`${provider} has not read: ${lacking.join(' | ')} ${JSON.stringify(error ?? '')}`);
        }
        read.push(`${provider} ${provider === 'demo' ? 'began' : `read ${texts.length} texts`}`);
        parent = leaf?.id ?? root;
      }
      return read.join(', ');
    });
  } finally {
    await loom.close();
    await anthropic.close();
    await openai.close();
  }
}
