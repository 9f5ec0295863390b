// Tokens and dollars of the open corpora of Claude Code and Codex beside the figures of `ccusage` for the same files, model by model.
// Install ccusage into a separate folder (`npm install ccusage@20.0.24`), then: node bench/ccusage.ts <folder>/node_modules/.bin/ccusage
// ccusage knows today's prices alone and no fees, so both are left out here.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PastCall } from '@loom/blocks';
import { findCorpus } from '@loom/blocks/testing';
import { formats, Origins, runImport } from '@loom/exchange/importing';
import { LoomEngine } from '@loom/kernel';
import type { Caller } from '@loom/kernel';
import { loadCatalogue } from '@loom/providers/catalogue';
import type { ModelCatalogue } from '@loom/providers/catalogue';
import { openSqliteStore } from '@loom/stores/sqlite';
import { z } from 'zod';
import { machineClock, printHeader } from './measure.ts';

const tokenLimit = 0.005;
const costLimit = 0.01;

/** The usage of one model. The kinds of input are apart, as ccusage has them. */
interface Used {
  input: number;
  cached: number;
  written: number;
  output: number;
  cost: number;
}

async function compareAll(command: string): Promise<void> {
  const [claude, codex] = [findCorpus('claude-code-sessions'), findCorpus('codex-rollouts')];
  if (!claude.found || !codex.found)
    return console.log(`  ${claude.found || claude.reason} ${codex.found || codex.reason}`);
  const folder = mkdtempSync(join(tmpdir(), 'loom-bench-ccusage-'));
  try {
    // ccusage reads no transcript that is one JSON array.
    const options = { recursive: true, filter: (source: string) => !source.endsWith('.json') };
    const [projects, sessions] = [join(folder, 'claude/projects'), join(folder, 'codex/sessions')];
    cpSync(claude.directory, projects, options);
    cpSync(codex.directory, sessions, options);
    const catalogue = await loadCatalogue({ now: Date.now });
    const ours = await importBoth(folder, [projects, sessions], catalogue);
    const theirs = claudeOf(command, folder);
    console.log('  left out, since ccusage alone counts them: calls of agents whose transcripts are not in the corpus');
    for (const [model, used] of progressOnly(projects, catalogue)) {
      console.log(`    ${model}: ${tokensOf(used)} tokens, $${used.cost.toFixed(4)}`);
      addTo(theirs, model, negative(used));
    }
    compare('Claude Code', theirs, ours.get('claude-code') ?? new Map());
    compare('Codex', codexOf(command, folder), ours.get('codex') ?? new Map());
  } finally {
    rmSync(folder, { recursive: true });
  }
}

type ByModel = Map<string, Used>;

/** Imports both as `loom import` does, and sums what `usage.list` says at the prices of today and without fees, by source and model. */
async function importBoth(
  folder: string,
  paths: readonly string[],
  catalogue: ModelCatalogue,
): Promise<Map<string, ByModel>> {
  const store = await openSqliteStore({ directory: join(folder, 'data') });
  const pricing = ({ provider, model, time: _time, ...used }: PastCall): number | undefined =>
    catalogue.costOf(provider, model, { ...used, web_searches: 0 });
  let last = 0;
  const newId = (): string => String((last += 1)).padStart(26, '0');
  const engine = new LoomEngine({
    store,
    clock: machineClock,
    ids: { next: newId },
    hash: { hex: (text) => createHash('sha256').update(text).digest('hex') },
    holder: 'bench',
    providers: [],
    tools: [],
    catalogue: { capsOf: () => undefined, pricing: () => pricing },
  });
  try {
    const blobs = { put: (bytes: Uint8Array): Promise<string> => store.putBlob(bytes) };
    const setup = { forest: engine.forest, blobs, newId, origins: new Origins(), formats };
    const job = { signal: new AbortController().signal, report: () => {} };
    for (const path of paths) await runImport(setup, { paths: [path] }, job);
    return await usageBySource(engine);
  } finally {
    await engine.close();
    await store.close();
  }
}

async function usageBySource(engine: LoomEngine): Promise<Map<string, ByModel>> {
  const caller: Caller = { agent: 'bench', type: 'person', role: 'owner', door: 'library', id: 'usage' };
  const answer = await engine.call('usage.list', caller, { by: ['source', 'model'], limit: 10_000 });
  if (!answer.ok) throw new Error(JSON.stringify(answer.refusal));
  const sources = new Map<string, ByModel>();
  for (const row of answer.value.items) {
    const {
      source = '',
      model = '',
      cached_input_tokens: cached,
      cache_write_tokens: written,
      output_tokens: output,
    } = row;
    const models = sources.get(source) ?? new Map<string, Used>();
    const input = row.input_tokens - cached - written;
    addTo(models, model, { input, cached, written, output, cost: row.cost_usd ?? 0 });
    sources.set(source, models);
  }
  return sources;
}

const claudeReport = z.object({
  daily: z.array(
    z.object({
      modelBreakdowns: z.array(
        z.object({
          modelName: z.string(),
          inputTokens: z.number(),
          outputTokens: z.number(),
          cacheReadTokens: z.number(),
          cacheCreationTokens: z.number(),
          cost: z.number(),
        }),
      ),
    }),
  ),
});

function claudeOf(command: string, folder: string): ByModel {
  const models: ByModel = new Map();
  const report = claudeReport.parse(run(command, ['claude', 'daily', '--breakdown'], folder));
  for (const { modelName, ...used } of report.daily.flatMap(({ modelBreakdowns }) => modelBreakdowns)) {
    addTo(models, modelName, {
      input: used.inputTokens,
      cached: used.cacheReadTokens,
      written: used.cacheCreationTokens,
      output: used.outputTokens,
      cost: used.cost,
    });
  }
  return models;
}

const codexReport = z.object({
  daily: z.array(
    z.object({
      costUSD: z.number(),
      models: z.record(
        z.string(),
        z.object({ inputTokens: z.number(), cacheReadTokens: z.number(), outputTokens: z.number() }),
      ),
    }),
  ),
});

/**
 * Reads ccusage's figures for Codex. It has the cost of a day alone: that counts for the model with the most tokens of the day, and is
 * compared in all.
 */
function codexOf(command: string, folder: string): ByModel {
  const models: ByModel = new Map();
  const report = codexReport.parse(run(command, ['codex', 'daily'], folder));
  for (const { costUSD, models: own } of report.daily) {
    const [most] = Object.entries(own).sort(([, one], [, other]) => other.cacheReadTokens - one.cacheReadTokens);
    for (const [model, { inputTokens: input, cacheReadTokens: cached, outputTokens: output }] of Object.entries(own))
      addTo(models, model, { input, cached, written: 0, output, cost: model === most?.[0] ? costUSD : 0 });
  }
  return models;
}

function run(command: string, words: readonly string[], folder: string): unknown {
  const env = {
    ...process.env,
    CLAUDE_CONFIG_DIR: join(folder, 'claude'),
    CODEX_HOME: join(folder, 'codex'),
    TZ: 'UTC',
  };
  const options = { encoding: 'utf8', env, maxBuffer: 1e9 } as const;
  return JSON.parse(execFileSync(command, [...words, '--offline', '--json'], options));
}

function addTo(models: ByModel, model: string, more: Used): void {
  const { input, cached, written, output, cost } = models.get(model) ?? none;
  models.set(model, {
    input: input + more.input,
    cached: cached + more.cached,
    written: written + more.written,
    output: output + more.output,
    cost: cost + more.cost,
  });
}

const none: Used = { input: 0, cached: 0, written: 0, output: 0, cost: 0 };

function compare(source: string, theirs: ByModel, ours: ByModel): void {
  console.log(`  ${source}: Loom beside ccusage`);
  for (const model of [...new Set([...theirs.keys(), ...ours.keys()])].sort())
    printModel(model, ours.get(model) ?? none, theirs.get(model) ?? none);
  printModel('all models', sumOf(ours), sumOf(theirs));
}

function printModel(name: string, ours: Used, theirs: Used): void {
  const [tokens, theirTokens] = [tokensOf(ours), tokensOf(theirs)];
  if (tokens + theirTokens === 0) return;
  const off = [difference(tokens, theirTokens) > tokenLimit, difference(ours.cost, theirs.cost) > costLimit];
  const parts = (['input', 'cached', 'written', 'output'] as const)
    .filter((part) => ours[part] !== theirs[part])
    .map((part) => `${part} ${ours[part]} / ${theirs[part]}`);
  console.log(
    `    ${name}: ${tokens} / ${theirTokens} tokens (${percent(tokens, theirTokens)}${off[0] ? ', ABOVE 0.5 %' : ''}), ` +
      `$${ours.cost.toFixed(4)} / $${theirs.cost.toFixed(4)} (${percent(ours.cost, theirs.cost)}${off[1] ? ', ABOVE 1 %' : ''})` +
      (parts.length === 0 ? '' : `; ${parts.join(', ')}`),
  );
}

function sumOf(models: ByModel): Used {
  const sum: ByModel = new Map();
  for (const used of models.values()) addTo(sum, '', used);
  return sum.get('') ?? none;
}

function negative({ input, cached, written, output, cost }: Used): Used {
  return { input: -input, cached: -cached, written: -written, output: -output, cost: -cost };
}

function tokensOf({ input, cached, written, output }: Used): number {
  return input + cached + written + output;
}

function difference(one: number, other: number): number {
  return one === other ? 0 : Math.abs(one - other) / Math.max(Math.abs(other), 1e-9);
}

function percent(one: number, other: number): string {
  return other === 0 ? 'only Loom' : `${(((one - other) / other) * 100).toFixed(2)} %`;
}

const progressLine = z.looseObject({
  type: z.literal('progress'),
  data: z.looseObject({
    message: z.looseObject({
      requestId: z.string().optional(),
      message: z.looseObject({
        id: z.string(),
        model: z.string(),
        usage: z.looseObject({
          input_tokens: z.number().default(0),
          output_tokens: z.number().default(0),
          cache_read_input_tokens: z.number().default(0),
          cache_creation_input_tokens: z.number().default(0),
          cache_creation: z.looseObject({ ephemeral_1h_input_tokens: z.number().default(0) }).optional(),
        }),
      }),
    }),
  }),
});
const answerLine = z.looseObject({ type: z.literal('assistant'), message: z.looseObject({ id: z.string() }) });

/**
 * Returns calls that no transcript has, only the progress that a session notes of its agents: the files of these agents are not in the
 * corpus. ccusage counts the figures of the progress, which were known when the call began; Loom counts the calls of transcripts.
 */
function progressOnly(directory: string, catalogue: ModelCatalogue): ByModel {
  const [answered, noted] = [new Set<string>(), new Map<string, { model: string; used: Used }>()];
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.jsonl')) continue;
    for (const line of readFileSync(join(entry.parentPath, entry.name), 'utf8').split('\n')) {
      const value = parse(line);
      const answer = answerLine.safeParse(value);
      if (answer.success) answered.add(answer.data.message.id);
      const progress = progressLine.safeParse(value);
      if (!progress.success) continue;
      const { id, model, usage } = progress.data.data.message.message;
      const [cached, written] = [usage.cache_read_input_tokens, usage.cache_creation_input_tokens];
      const cost = catalogue.costOf('anthropic', model, {
        input_tokens: usage.input_tokens + cached + written,
        output_tokens: usage.output_tokens,
        cached_input_tokens: cached,
        cache_write_tokens: written,
        cache_write_1h_tokens: usage.cache_creation?.ephemeral_1h_input_tokens ?? 0,
      });
      const used = { input: usage.input_tokens, cached, written, output: usage.output_tokens, cost: cost ?? 0 };
      if ((noted.get(id)?.used.output ?? 0) <= used.output) noted.set(id, { model, used });
    }
  }
  const models: ByModel = new Map();
  for (const [id, { model, used }] of noted) if (!answered.has(id)) addTo(models, model, used);
  return models;
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

const [, , ccusage] = process.argv;
printHeader('ccusage');
if (ccusage === undefined) console.log('  Name the command: node bench/ccusage.ts <folder>/node_modules/.bin/ccusage');
else await compareAll(ccusage);
