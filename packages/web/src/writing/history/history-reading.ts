import type { ParamsOf, ResultOf } from '@loom/kernel';

/** Calls an operation of the kernel; rejects with words for the reader. */
export type Ask = <Name extends string>(name: Name, params: ParamsOf<Name>) => Promise<ResultOf<Name>>;

export type Version = ResultOf<'block.history'>[number];

/** The number of versions asked for at once, and the most that are read: no reader looks through more. */
const [page, most] = [1000, 20_000];

/** Reads the versions of a block, the oldest first; of a very long history the newest ones. */
export async function readHistory(ask: Ask, block: string, since = 0): Promise<Version[]> {
  const versions: Version[] = [];
  for (;;) {
    const [oldest] = versions;
    const more = await ask('block.history', {
      block_id: block,
      limit: page,
      edits: true,
      ...(oldest === undefined ? {} : { before: oldest.version }),
    });
    versions.unshift(...more);
    const [first] = more;
    if (first === undefined || more.length < page || first.version <= since || versions.length >= most) break;
  }
  return versions.filter(({ version }) => version > since);
}

/** Reads the text of a block, as it is now or in an earlier version. */
export async function readText(ask: Ask, block: string, version?: number): Promise<string> {
  const asked = version === undefined ? {} : { version };
  return (await ask('block.read', { block_id: block, line_numbers: false, ...asked })).content;
}
