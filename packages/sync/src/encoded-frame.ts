import { encodeFrame } from './frames.ts';
import type { ServerFrame } from './frames.ts';

const encoder = new TextEncoder();

/** A frame as it travels. It is written once, and its bytes are made once, however many clients it goes to. */
export class EncodedFrame {
  readonly type: ServerFrame['type'];
  readonly text: string;
  #bytes: Uint8Array | undefined;

  constructor(frame: ServerFrame) {
    this.type = frame.type;
    this.text = encodeFrame(frame);
  }

  /** How much room it takes, in UTF-16 units of JSON. */
  get size(): number {
    return this.text.length;
  }

  /** In UTF-8. */
  get bytes(): Uint8Array {
    return (this.#bytes ??= encoder.encode(this.text));
  }
}
