import type { PlainObject } from '@loom/blocks';
import type { Clock, ProviderRequest, Usage } from '@loom/kernel';
import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider';

/** A model API, as far as it differs from others: what a request becomes, and which SDK speaks to it. */
export interface Api {
  /** `anthropic`, `openai`, `google`, or the name of a compatible server; what its blocks keep is found under this name. */
  readonly id: string;
  /** Under which name its SDK reports what is to come back, where that is not the id. */
  readonly metadataName?: string;
  /** It answers without a key. */
  readonly keyless?: boolean;
  /** Pure. What a request becomes; `files` holds the bytes of its blobs, loaded before. A paused answer is its last message, and goes on. */
  toRequest(request: ProviderRequest, files: ReadonlyMap<string, Uint8Array>, isPaused?: boolean): ApiRequest;
  /** The SDK's model. The SDK is imported here, so that a command that needs no model does not wait for it. */
  model(name: string, wire: Wire): Promise<LanguageModelV4>;
  takesPrefix?(model: string): boolean;
  /** Whether an answer that ended for this reason, in the word of the wire, is only interrupted: it is sent back as it is, and goes on. */
  isPause?(reason: string): boolean;
  /** Reads what the SDK drops or changes; a new reader for each call. */
  rawReader?(request: ProviderRequest): RawReader;
  /** What a person and other models read of the result of a tool that the provider ran itself. */
  describeResult?(result: ProviderResult): string;
}

/** What the SDK's model speaks through. */
export interface Wire {
  fetch: typeof globalThis.fetch;
  key: string | undefined;
  baseURL: string | undefined;
}

/** A request as the SDK takes it. */
export interface ApiRequest {
  /** Prompt, tools and settings, without the signal. */
  options: LanguageModelV4CallOptions;
  /** What stands in the body for a placeholder of `exact-values.ts`, as JSON. */
  exact: ReadonlyMap<string, string>;
  leftOut: readonly LeftOut[];
  /** Which of Loom's tools a name on the wire is, where an API does not accept all names. */
  toolName?: (name: string) => string;
}

/** Something that the model is not shown though it is in the conversation, and why. */
export interface LeftOut {
  what: 'thinking' | 'file' | 'tool' | 'setting';
  /** One sentence. */
  why: string;
}

/** A part of the SDK's stream, or one that only a `RawReader` makes. */
export type StreamPart =
  | LanguageModelV4StreamPart
  /** What the call has cost so far. */
  | { type: 'usage'; usage: Usage }
  /** Kept on the answer for later calls. */
  | { type: 'note'; data: PlainObject }
  /** Kept with the sources of the answer. */
  | { type: 'source-data'; data: PlainObject };

/** Takes an event of the wire; answers with the parts that stand in place of those that the SDK makes of it, or leaves it to the SDK. */
export type RawReader = (event: unknown) => readonly StreamPart[] | undefined;

/** What a tool that the provider ran itself has answered. */
export interface ProviderResult {
  name: string;
  result: unknown;
  provider: PlainObject;
}

/** What a provider behind an API is handed. */
export interface ApiDependencies {
  /** By which name it is known here, where that is not the API's own. */
  id?: string;
  clock: Clock;
  /** At least 0, less than 1: spreads retries. */
  random: () => number;
  /** Looked up for each call, since a key may come from a command or change. */
  key: () => Promise<string | undefined>;
  /** What else than the key is neither told nor kept, such as a password for the server. */
  secrets?: readonly string[];
  baseURL?: string;
  fetch?: typeof globalThis.fetch;
  timeouts?: Timeouts;
}

/** How long silence is borne, in milliseconds: before the first byte of an answer, and between two. */
export interface Timeouts {
  firstByte: number;
  stall: number;
}
