import { z } from 'zod';

/** A model that a server offers, with the facts that the server gives. */
export interface FoundModel {
  id: string;
  /** Its context window in tokens as it is loaded; as it was trained if it is not loaded. */
  contextWindow?: number;
  takesImages?: boolean;
  callsTools?: boolean;
  thinks?: boolean;
}

const tokens = z.int().positive();

const modelList = z.looseObject({
  data: z.array(
    z.looseObject({
      id: z.string().min(1),
      owned_by: z.unknown().optional(),
      // vLLM
      max_model_len: z.unknown().optional(),
      // llama.cpp
      meta: z.unknown().optional(),
    }),
  ),
});

/** Reads `GET /v1/models`, which every compatible server answers; `undefined` if this is something else. */
export function readModelList(answer: unknown): { models: FoundModel[]; owner?: string } | undefined {
  const list = modelList.safeParse(answer);
  if (!list.success) return undefined;
  const models = list.data.data.map(({ id, max_model_len, meta }) => {
    const trained = z.looseObject({ n_ctx_train: tokens }).safeParse(meta).data?.n_ctx_train;
    return foundModel(id, { contextWindow: tokens.safeParse(max_model_len).data ?? trained });
  });
  const owner = list.data.data.map(({ owned_by }) => owned_by).find((name) => typeof name === 'string');
  return typeof owner === 'string' ? { models, owner } : { models };
}

const tagList = z.looseObject({ models: z.array(z.looseObject({ name: z.string().min(1) })) });

/** Reads the names in Ollama's `GET /api/tags`. */
export function readOllamaTags(answer: unknown): string[] | undefined {
  return tagList.safeParse(answer).data?.models.map(({ name }) => name);
}

const loadedModels = z.looseObject({
  models: z.array(z.looseObject({ name: z.string(), context_length: tokens.optional() })),
});

/** Returns the context windows of the models that Ollama has loaded now: `GET /api/ps`. */
export function readOllamaLoaded(answer: unknown): Map<string, number> {
  const loaded = new Map<string, number>();
  for (const { name, context_length } of loadedModels.safeParse(answer).data?.models ?? []) {
    if (context_length !== undefined) loaded.set(name, context_length);
  }
  return loaded;
}

const shownModel = z.looseObject({
  capabilities: z.array(z.string()).optional(),
  parameters: z.string().optional(),
  model_info: z.record(z.string(), z.unknown()).optional(),
});

/** Reads Ollama's `POST /api/show`; `undefined` for a model that cannot chat, such as one for embeddings. */
export function readOllamaModel(name: string, answer: unknown, loaded: number | undefined): FoundModel | undefined {
  const shown = shownModel.safeParse(answer).data;
  if (shown === undefined) return foundModel(name, { contextWindow: loaded });
  const { capabilities, parameters, model_info = {} } = shown;
  if (capabilities !== undefined && !capabilities.includes('completion')) return undefined;
  const set = /^num_ctx\s+(\d+)\s*$/m.exec(parameters ?? '')?.[1];
  const trained = Object.entries(model_info).find(([key]) => key.endsWith('.context_length'))?.[1];
  return foundModel(name, {
    contextWindow: loaded ?? (set === undefined ? tokens.safeParse(trained).data : Number(set)),
    takesImages: capabilities?.includes('vision'),
    callsTools: capabilities?.includes('tools'),
    thinks: capabilities?.includes('thinking'),
  });
}

const studioList = z.looseObject({
  data: z.array(
    z.looseObject({
      id: z.string().min(1),
      type: z.string().optional(),
      capabilities: z.array(z.string()).optional(),
      max_context_length: tokens.optional(),
      loaded_context_length: tokens.optional(),
    }),
  ),
});

/** Reads LM Studio's `GET /api/v0/models`: the models on the disk of its machine, loaded or not. */
export function readStudioList(answer: unknown): FoundModel[] | undefined {
  const list = studioList.safeParse(answer).data?.data;
  return list
    ?.filter(({ type }) => type === undefined || type === 'llm' || type === 'vlm')
    .map(({ id, type, capabilities, max_context_length, loaded_context_length }) =>
      foundModel(id, {
        contextWindow: loaded_context_length ?? max_context_length,
        takesImages: type === undefined ? undefined : type === 'vlm',
        callsTools: capabilities?.includes('tool_use'),
      }),
    );
}

const llamaProps = z.looseObject({
  default_generation_settings: z.looseObject({ n_ctx: tokens }),
  modalities: z.looseObject({ vision: z.boolean() }).optional(),
});

/** Returns the models of a llama.cpp server, with the facts of `GET /props` about the loaded one. */
export function withLlamaProps(models: readonly FoundModel[], answer: unknown): FoundModel[] {
  const props = llamaProps.safeParse(answer).data;
  if (props === undefined) return [...models];
  const { default_generation_settings, modalities } = props;
  return models.map((model) => ({
    ...model,
    contextWindow: default_generation_settings.n_ctx,
    ...(modalities === undefined ? {} : { takesImages: modalities.vision }),
  }));
}

type MaybeKnown<T> = { [Key in keyof T]?: T[Key] | undefined };

function foundModel(id: string, known: MaybeKnown<Omit<FoundModel, 'id'>>): FoundModel {
  const { contextWindow, takesImages, callsTools, thinks } = known;
  return {
    id,
    ...(contextWindow === undefined ? {} : { contextWindow }),
    ...(takesImages === undefined ? {} : { takesImages }),
    ...(callsTools === undefined ? {} : { callsTools }),
    ...(thinks === undefined ? {} : { thinks }),
  };
}
