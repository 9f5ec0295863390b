import type { ServerFrame } from '@loom/sync';
import { parseServerFrame } from '@loom/sync';
import type { RawData } from 'ws';
import { z } from 'zod';
import { bytesOf } from '../feed/message-bytes.ts';
import { readJson } from '../guard/json-reader.ts';

/** The frames in a message of the feed. */
export function framesOf(data: RawData): ServerFrame[] {
  return z
    .array(z.unknown())
    .parse(readJson(bytesOf(data)))
    .map(parseServerFrame);
}
