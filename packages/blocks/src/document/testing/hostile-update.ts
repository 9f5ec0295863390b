import * as Y from 'yjs';

/** A struct as it stands in an update, valid or not. */
export interface RawStruct {
  readonly origin?: readonly [client: number, clock: number] | undefined;
  readonly rightOrigin?: readonly [client: number, clock: number] | undefined;
  /** The name of a root; an id means the type that this item holds. */
  readonly parent?: string | readonly [client: number, clock: number];
  readonly parentSub?: string;
  readonly content: string | { readonly ref: number; write(encoder: Y.UpdateEncoderV1): void };
}

export interface RawUpdate {
  readonly sections?: readonly { client: number; clock: number; structs: readonly RawStruct[]; declared?: number }[];
  readonly deletes?: readonly { client: number; ranges: readonly (readonly [clock: number, length: number])[] }[];
}

/** Writes an update byte by byte, so that it may say what no Yjs document would. */
export function writeRawUpdate({ sections = [], deletes = [] }: RawUpdate): Uint8Array {
  const encoder = new Y.UpdateEncoderV1();
  encoder.writeLen(sections.length);
  for (const { client, clock, structs, declared = structs.length } of sections) {
    encoder.writeLen(declared);
    encoder.writeClient(client);
    encoder.writeLen(clock);
    for (const struct of structs) writeStruct(encoder, struct);
  }
  encoder.writeLen(deletes.length);
  for (const { client, ranges } of deletes) {
    encoder.resetDsCurVal();
    encoder.writeClient(client);
    encoder.writeLen(ranges.length);
    for (const [clock, length] of ranges) {
      encoder.writeDsClock(clock);
      encoder.writeDsLen(length);
    }
  }
  return encoder.toUint8Array();
}

/** The same update with its deletions in the wrong order. */
export function withDeletesReversed(update: Uint8Array): Uint8Array {
  const { structs, ds } = Y.decodeUpdate(update);
  const items = structs.filter((struct) => struct instanceof Y.Item);
  const [first] = items;
  const raw = items.map(({ origin, rightOrigin, content }) => ({
    origin: origin === null ? undefined : ([origin.client, origin.clock] as const),
    rightOrigin: rightOrigin === null ? undefined : ([rightOrigin.client, rightOrigin.clock] as const),
    content: content instanceof Y.ContentString ? content.str : '',
  }));
  const sections = first === undefined ? [] : [{ client: first.id.client, clock: first.id.clock, structs: raw }];
  const deletes = [...ds.clients].map(([client, ranges]) => {
    const reversed = ranges.map(({ clock, len }): [number, number] => [clock, len]).reverse();
    return { client, ranges: reversed };
  });
  return writeRawUpdate({ sections, deletes });
}

const stringRef = 4;

function writeStruct(encoder: Y.UpdateEncoderV1, struct: RawStruct): void {
  const { origin, rightOrigin, parent = 'text', parentSub, content } = struct;
  const ref = typeof content === 'string' ? stringRef : content.ref;
  encoder.writeInfo(ref | (origin ? 0x80 : 0) | (rightOrigin ? 0x40 : 0) | (parentSub === undefined ? 0 : 0x20));
  if (origin) encoder.writeLeftID(Y.createID(...origin));
  if (rightOrigin) encoder.writeRightID(Y.createID(...rightOrigin));
  if (!origin && !rightOrigin) {
    encoder.writeParentInfo(typeof parent === 'string');
    if (typeof parent === 'string') encoder.writeString(parent);
    else encoder.writeLeftID(Y.createID(...parent));
    if (parentSub !== undefined) encoder.writeString(parentSub);
  }
  if (typeof content === 'string') encoder.writeString(content);
  else content.write(encoder);
}
