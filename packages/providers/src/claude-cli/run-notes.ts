import type { PlainObject } from '@loom/blocks';

/** Returns what is kept of the report at the beginning of a turn: lists of commands and skills are left out. */
export function noteOfStart(report: PlainObject): PlainObject {
  const { session_id: session, claude_code_version: version, permissionMode: mode } = report;
  return {
    session,
    version,
    mode,
    ...pick(report, ['cwd', 'model', 'tools', 'mcp_servers', 'apiKeySource', 'output_style']),
  };
}

/** Returns what is kept of the report at the end of a turn: its words stand in the answer. */
export function noteOfResult(report: PlainObject): PlainObject {
  return pick(report, [
    'subtype',
    'stop_reason',
    'terminal_reason',
    'num_turns',
    'duration_ms',
    'duration_api_ms',
    'total_cost_usd',
    'usage',
    'modelUsage',
    'permission_denials',
    'origin',
    'uuid',
  ]);
}

function pick(report: PlainObject, names: readonly string[]): PlainObject {
  return Object.fromEntries(names.flatMap((name) => (report[name] === undefined ? [] : [[name, report[name]]])));
}
