import { z } from 'zod';
import type { Outcome } from '../../refusal.ts';
import { defineOperation } from '../operation.ts';
import type { Caller } from '../operation.ts';
import { refuseLimited } from '../permission.ts';
import { once } from '../../once.ts';

/** Rows about the settings of the data folder, which are an owner's. */

const settingValue = z
  .union([z.string(), z.number(), z.boolean(), z.array(z.string())])
  .describe('A string, a number, a boolean, or a list of strings.');
export type SettingValue = z.infer<typeof settingValue>;

const settingResult = once(() =>
  z.strictObject({
    key: z.string().describe('Its name, such as defaults.model.'),
    about: z.string().exactOptional().describe('What it is for.'),
    takes: z.string().exactOptional().describe('A description of the values it accepts.'),
    origin: z
      .enum(['none', 'default', 'file', 'environment'])
      .describe('Where its value comes from; the environment overrides files.'),
    secret: z.boolean().describe('Whether it is a secret; for a secret, only whether it is set is returned.'),
    value: z.unknown().exactOptional().describe('Its value, with possible secrets masked.'),
  }),
);
export type SettingAnswer = z.infer<ReturnType<typeof settingResult>>;

const written = once(() =>
  z.strictObject({
    changed: z.boolean(),
    notes: z.array(z.string()).describe('Notes for a person about this setting.'),
  }),
);

/** The port that keeps the settings. */
export interface SettingPort {
  list(): Promise<Outcome<SettingAnswer[]>>;
  set(key: string, value: SettingValue, caller: Caller): Promise<Outcome<z.infer<ReturnType<typeof written>>>>;
  unset(key: string, caller: Caller): Promise<Outcome<z.infer<ReturnType<typeof written>>>>;
}

const key = z.string().min(1).max(1000).describe('The name of a setting, such as defaults.model.');

export function settingOperations(port: SettingPort) {
  return [
    defineOperation({
      name: 'setting.list',
      summary: 'Lists all settings, set or not. Keys and other secrets are not returned.',
      params: () => z.strictObject({}),
      result: () => z.strictObject({ items: z.array(settingResult()) }),
      refusals: ['settings-failed'],
      effect: 'reads',
      role: 'owner',
      run: async (_engine, caller) => {
        const denied = refuseLimited(caller, 'setting.list');
        if (denied !== undefined) return denied;
        const found = await port.list();
        return found.ok ? { ok: true, value: { items: found.value } } : found;
      },
    }),
    defineOperation({
      name: 'setting.set',
      summary:
        'Sets a value in config.toml in the data folder; everything else in the file stays as it is. Settings that start a program can only be set at the command line.',
      params: () => z.strictObject({ key, value: settingValue }),
      result: () => written(),
      refusals: ['settings-failed'],
      effect: 'changes',
      role: 'owner',
      run: async (_engine, caller, params) => port.set(params.key, params.value, caller),
    }),
    defineOperation({
      name: 'setting.unset',
      summary: 'Removes a setting from config.toml, so that its default or a weaker file applies.',
      params: () => z.strictObject({ key }),
      result: () => written(),
      refusals: ['settings-failed'],
      effect: 'changes',
      role: 'owner',
      run: async (_engine, caller, params) => port.unset(params.key, caller),
    }),
  ] as const;
}
