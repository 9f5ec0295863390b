import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { anthropicWire, responsesWire } from '@loom/providers/testing';
import type { EmulatedWire, Emulator } from '@loom/providers/testing';
import type { AgentKind } from './installed-programs.ts';

/** An agent's program, and how it is used here. */
export interface AgentProgram {
  readonly name: string;
  /** Its name in origins and exports. */
  readonly source: 'claude-code' | 'codex';
  /** The API that it speaks. */
  readonly wire: EmulatedWire;
  /** Its folder, below the home folder. */
  readonly folder: string;
  /** Gets it ready for a run. */
  prepare(place: Place): void;
  /** The command line that goes on with a session, or begins one. */
  command(prompt: string, session?: string): { program: string; words: string[] };
}

/** The environment it runs in. */
export interface Place {
  readonly home: string;
  readonly work: string;
  readonly emulator: Emulator;
}

export function agentPrograms({ claude, codex }: Readonly<Record<AgentKind, string>>): AgentProgram[] {
  return [
    {
      name: 'Claude Code',
      source: 'claude-code',
      wire: withOwnIds(anthropicWire),
      folder: '.claude',
      prepare: () => {},
      command: (prompt, session) => ({
        program: claude,
        words: [
          '-p',
          prompt,
          '--output-format',
          'stream-json',
          '--verbose',
          '--model',
          'claude-sonnet-4-5',
          ...(session === undefined ? [] : ['--resume', session]),
        ],
      }),
    },
    {
      name: 'Codex',
      source: 'codex',
      wire: withOwnIds(responsesWire),
      folder: '.codex',
      prepare: ({ home, emulator }) => {
        mkdirSync(join(home, '.codex'), { recursive: true });
        writeFileSync(join(home, '.codex', 'config.toml'), codexSettings(emulator.url));
      },
      command: (prompt, session) => ({
        program: codex,
        words: [
          'exec',
          ...(session === undefined ? [] : ['resume']),
          '--json',
          '--skip-git-repo-check',
          '--dangerously-bypass-approvals-and-sandbox',
          ...['plugins', 'apps', 'remote_plugin'].flatMap((feature) => ['--disable', feature]),
          ...(session === undefined ? [] : [session]),
          prompt,
        ],
      }),
    },
  ];
}

/** Runs it until it ends, and returns its output. */
export function runProgram(program: AgentProgram, place: Place, prompt: string, session?: string): Promise<string> {
  const { program: path, words } = program.command(prompt, session);
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: place.home,
    ANTHROPIC_BASE_URL: place.emulator.url,
    ANTHROPIC_API_KEY: 'emulated',
    OPENAI_API_KEY: 'emulated',
    DISABLE_TELEMETRY: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  };
  return new Promise((resolve, reject) => {
    const child = spawn(path, words, { cwd: place.work, env, stdio: ['ignore', 'pipe', 'pipe'], timeout: 60_000 });
    let [out, wrong] = ['', ''];
    child.stdout.on('data', (piece: Buffer) => void (out += piece.toString()));
    child.stderr.on('data', (piece: Buffer) => void (wrong += piece.toString()));
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve(out);
      else reject(new Error(`${program.name} ended with ${code}: ${wrong.slice(-600)}${out.slice(-600)}`));
    });
  });
}

/** Gives each answer unique ids. The emulator refuses requests that the real API would refuse of Loom; real programs send more, and need them. */
export function withOwnIds(wire: EmulatedWire): EmulatedWire {
  let count = 0;
  return {
    ...wire,
    refuse: () => undefined,
    *write(answer, request) {
      count += 1;
      for (const piece of wire.write(answer, request)) {
        yield piece.replaceAll(/"(msg|resp|rs|fc)_(?=[\w]*")/g, `"$1_${count}x`);
      }
    },
  };
}

function codexSettings(url: string): string {
  return `model = "gpt-5.5"
model_provider = "emulated"

[model_providers.emulated]
name = "emulated"
base_url = "${url}/v1"
wire_api = "responses"
env_key = "OPENAI_API_KEY"
request_max_retries = 0
stream_max_retries = 0
`;
}
