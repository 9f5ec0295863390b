import type { CompleteRequestParams, CompleteResult } from '@modelcontextprotocol/server';
import type { Caller, LoomEngine } from '@loom/kernel';

type Calls = Pick<LoomEngine, 'call'>;

/** The protocol allows so many. */
const mostValues = 100;

/** Ids that an argument may be meant to become: of conversations by their id or title, of messages below one that is named. */
export async function complete(
  engine: Calls,
  caller: Caller,
  { argument: { name, value } }: CompleteRequestParams,
): Promise<CompleteResult> {
  const values =
    name === 'conversation'
      ? await conversations(engine, caller, value)
      : name === 'message'
        ? await ends(engine, caller, value)
        : [];
  return {
    completion: { values: values.slice(0, mostValues), total: values.length, hasMore: values.length > mostValues },
  };
}

async function conversations(engine: Calls, caller: Caller, begun: string): Promise<string[]> {
  const page = await engine.call('root.list', caller, { limit: 1000 });
  const wanted = begun.toLowerCase();
  return page.ok
    ? page.value.items
        .filter(({ id, title = '' }) => id.toLowerCase().startsWith(wanted) || title.toLowerCase().includes(wanted))
        .map(({ id }) => id)
    : [];
}

/** The ends of the branches of the conversation whose id the value begins with; before that, conversations. */
async function ends(engine: Calls, caller: Caller, begun: string): Promise<string[]> {
  const [root = '', rest] = decoded(begun).split('/');
  if (rest === undefined) return (await conversations(engine, caller, root)).map((id) => `${id}/`);
  const leaves = await engine.call('tree.recent_leaves', caller, { root, limit: mostValues });
  return leaves.ok ? leaves.value.nodes.map(({ id }) => id).filter((id) => id.startsWith(decoded(begun))) : [];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
