import type { PlainObject } from '@loom/blocks';
import type { Clock, ProviderRequest, Usage } from '@loom/kernel';
import type { ModelList } from './model-lists.ts';
import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider';

/** The differences of a model API from others: the form of a request, and the SDK that speaks to it. */
export interface Api {
  /** `anthropic`, `openai`, `google`, or the name of a compatible server; blocks keep its data under this name. */
  readonly id: string;
  /** The name under which its SDK reports data that is to come back, if that is not the id. */
  readonly metadataName?: string;
  /** True if it answers without a key. */
  readonly keyless?: boolean;
  /** Pure. Converts a request; `files` holds the bytes of its blobs, loaded before. A paused answer is its last message, and continues. */
  toRequest(request: ProviderRequest, files: ReadonlyMap<string, Uint8Array>, isPaused?: boolean): ApiRequest;
  /** The SDK's model. The SDK is imported here, so that a command that needs no model does not wait for it. */
  model(name: string, wire: Wire): Promise<LanguageModelV4>;
  takesPrefix?(model: string): boolean;
  /** Returns true if a model can use the tools that its provider runs itself. Default: none can. */
  hasProviderTools?(model: string): boolean;
  /** The list of its models. */
  readonly models: ModelList;
  /** Returns true if an answer with this end reason, in the word of the wire, is only interrupted: it is sent back unchanged, and continues. */
  isPause?(reason: string): boolean;
  /** Reads events that the SDK drops or changes; a new reader for each call. */
  rawReader?(request: ProviderRequest): RawReader;
  /** Returns the text, for people and other models, of the result of a tool that the provider ran itself. */
  describeResult?(result: ProviderResult): string;
}

/** The transport of the SDK's model. */
export interface Wire {
  fetch: typeof globalThis.fetch;
  key: string | undefined;
  baseURL: string | undefined;
}

/** A request in the SDK's form. */
export interface ApiRequest {
  /** Prompt, tools and settings, without the signal. */
  options: LanguageModelV4CallOptions;
  /** The JSON that replaces each placeholder of `exact-values.ts` in the body. */
  exact: ReadonlyMap<string, string>;
  leftOut: readonly LeftOut[];
  /** Returns Loom's tool for a name on the wire, for APIs that do not accept all names. */
  toolName?: (name: string) => string;
}

/** A part of the conversation that the model is not shown, with the reason. */
export interface LeftOut {
  what: 'thinking' | 'file' | 'tool' | 'setting';
  /** One sentence. */
  why: string;
}

/** A part of the SDK's stream, or one that only a `RawReader` makes. */
export type StreamPart =
  | LanguageModelV4StreamPart
  /** The usage of the call so far. */
  | { type: 'usage'; usage: Usage }
  /** Kept on the answer for later calls. */
  | { type: 'note'; data: PlainObject }
  /** Kept with the sources of the answer. */
  | { type: 'source-data'; data: PlainObject };

/** Takes an event of the wire; returns the parts that replace those of the SDK, or `undefined` to leave the event to the SDK. */
export type RawReader = (event: unknown) => readonly StreamPart[] | undefined;

/** The result of a tool that the provider ran itself. */
export interface ProviderResult {
  name: string;
  result: unknown;
  provider: PlainObject;
}

/** The inputs of a provider behind an API. */
export interface ApiDependencies {
  /** Its name here, if that is not the API's own. */
  id?: string;
  clock: Clock;
  /** At least 0, less than 1: spreads retries. */
  random: () => number;
  /** Looked up for each call, since a key may come from a command or change. */
  key: () => Promise<string | undefined>;
  /** Secrets beside the key that are neither shown nor kept, such as a password for the server. */
  secrets?: readonly string[];
  baseURL?: string;
  fetch?: typeof globalThis.fetch;
  timeouts?: Timeouts;
}

/** The longest silence, in milliseconds: before the first byte of an answer, and between two. */
export interface Timeouts {
  firstByte: number;
  stall: number;
}
