import type { ServerFrame } from '../frames.ts';
import type { ListFrame } from '../list/list-frames.ts';

type Frame = ServerFrame | ListFrame;

const encoder = new TextEncoder();

/** A frame as it travels. It is written once, and its bytes are made once, however many clients it goes to. */
export class EncodedFrame {
  readonly type: Frame['type'];
  readonly text: string;
  #bytes: Uint8Array | undefined;

  constructor(frame: Frame) {
    this.type = frame.type;
    this.text = JSON.stringify(frame);
  }

  /** Its size, in UTF-16 units of JSON. */
  get size(): number {
    return this.text.length;
  }

  /** In UTF-8. */
  get bytes(): Uint8Array {
    return (this.#bytes ??= encoder.encode(this.text));
  }
}
