import type { Call } from '../command-line/command.ts';
import { EXIT, type ExitCode } from '../command-line/exit-codes.ts';
import { suggest } from '../command-line/suggested-command.ts';
import { createAgents } from '../models/agents/agents.ts';
import { createModels } from '../models/models.ts';
import { lateProcessPort } from '../processes/late-process-port.ts';
import { systemClock } from '../runtime/system-clock.ts';
import { styleFor } from '../terminal/style.ts';

/** `loom agents` */
export async function listAgents({ dataDir, isJson, terminal }: Call): Promise<ExitCode> {
  const models = createModels({ dataDir, env: terminal.env, clock: systemClock });
  const processes = lateProcessPort(systemClock);
  const agents = createAgents({ models, clock: systemClock, processes });
  try {
    const style = styleFor(terminal, 'out');
    for (const agent of agents) {
      const offer = await agent.offers?.();
      if (offer === undefined) continue;
      const { state, models: choices = [], modes = [], commands = [] } = offer;
      if (isJson) {
        terminal.out(`${JSON.stringify({ ok: true, name: agent.id, state, models: choices, modes, commands })}\n`);
        continue;
      }
      const version = state.type === 'installed' ? (state.version ?? 'installed') : '';
      terminal.out(`${style.strong(agent.id)}  ${version}\n`);
      if (state.type !== 'installed') terminal.out(`  ${style.odd(state.message)}\n`);
      if (offer.remark !== undefined) terminal.out(`  ${style.odd(offer.remark)}\n`);
      if (choices.length > 0) terminal.out(`  models: ${choices.map(({ name }) => name).join(', ')}\n`);
      if (modes.length > 0) terminal.out(`  modes: ${modes.map(({ name }) => name).join(', ')}\n`);
      if (commands.length > 0)
        terminal.out(
          `  commands in a chat: ${commands.map(({ name }) => `/${name.replace(/^\//u, '')}`).join(', ')}\n`,
        );
      if (state.type === 'installed') terminal.out(`  ${style.faint(suggest(`chat --agent ${agent.id}`))}\n`);
    }
    return EXIT.ok;
  } finally {
    for (const agent of agents) await agent.close?.();
    await processes.close();
  }
}
