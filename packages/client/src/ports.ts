/** The part of `fetch` that the client needs; that of browsers and of Node fits. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchAnswer>;

export interface FetchInit {
  method: 'GET' | 'POST';
  headers: Record<string, string>;
  body?: string | Uint8Array<ArrayBuffer>;
  signal?: AbortSignal;
}

export interface FetchAnswer {
  status: number;
  text(): Promise<string>;
  readonly body: { getReader(): ByteReader } | null;
}

export interface ByteReader {
  read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>;
  cancel(): Promise<unknown>;
}

/** The part of a WebSocket that the client needs; that of browsers and of Node fits. */
export interface Socket {
  addEventListener(type: 'open' | 'message' | 'close' | 'error', listener: (event: { data?: unknown }) => void): void;
  send(text: string): void;
  close(): void;
}

export type OpenSocket = (url: string) => Socket;
