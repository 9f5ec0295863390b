import type { MessageBlock } from '@loom/blocks';

/** A block of a tool or provider without what only Loom says of blocks: their identity, their life and their writers. */
export function ownFields(block: MessageBlock): MessageBlock {
  const {
    block_id: _id,
    status: _status,
    version: _version,
    agent: _agent,
    created_at: _time,
    ended_at: _end,
    error: _error,
    prefix: _prefix,
    from: _from,
    ...own
  } = block;
  return own;
}
