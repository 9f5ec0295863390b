import type { RootConfig } from '../../op.ts';
import type { ProcessPort, RuleKeeper } from '../../ports.ts';
import type { Outcome } from '../../refusal.ts';
import { surroundingsOf } from '../../root-settings.ts';
import type { RootState, TurnState } from '../../state/root-state.ts';
import type { CallAsModel, Tool } from '../../tool.ts';
import { allowedRules } from '../deciding/allowed-rules.ts';
import type { TurnScope } from '../turn-writer.ts';
import { earlierCalls } from './earlier-calls.ts';
import { describeMissing } from './missing-tool.ts';
import type { ToolRoundScope } from './tool-round.ts';

/** The parts that the calls of a turn are made with. */
export interface CallEnvironment {
  findTool: (name: string) => Tool | undefined;
  config: RootConfig;
  callAs: CallAs;
  /** Starts programs. */
  processes?: ProcessPort;
  /** Hears which rules let calls run. */
  rules?: Pick<RuleKeeper, 'used'>;
}

/** Asks for an operation in the name of a model, in one conversation. */
export type CallAs = (
  model: { root: string; agent: string },
  operation: string,
  params: unknown,
) => Promise<Outcome<unknown>>;

/** Returns the tools of a turn, and the context that each of its calls gets. */
export function surroundingsOfCalls(
  environment: CallEnvironment & Pick<TurnScope, 'root' | 'turn' | 'agent' | 'blobs'>,
  state: RootState,
  asked: TurnState,
  signal: AbortSignal,
): Pick<ToolRoundScope, 'findTool' | 'describeMissing' | 'context' | 'ruleUsed'> {
  const { findTool, root, turn, agent, blobs, config, callAs, processes, rules } = environment;
  const { tools, by: startedBy } = asked;
  const call: CallAsModel = (operation, params) => callAs({ root, agent }, operation, params);
  const starter = startedBy === undefined ? {} : { startedBy };
  const port = processes === undefined ? {} : { processes: endingWith(processes, signal) };
  const allowed = allowedRules(state);
  return {
    describeMissing: (name) => describeMissing(name, findTool(name), state, asked),
    ruleUsed: (rule) => rules?.used?.(rule),
    findTool: (name) => {
      const tool = findTool(name);
      return tool !== undefined && tool.withheld === undefined && tools.includes(tool.name) ? tool : undefined;
    },
    context: {
      root,
      turn,
      agent,
      ...starter,
      ...surroundingsOf(config),
      allowed,
      signal,
      blobs,
      ...port,
      call,
      earlierCalls: () => earlierCalls(state, turn),
    },
  };
}

/** Programs that are stopped with the turn, unless they are given another signal. */
function endingWith(processes: ProcessPort, signal: AbortSignal): Pick<ProcessPort, 'spawn'> {
  return { spawn: (order) => processes.spawn({ signal, ...order }) };
}
