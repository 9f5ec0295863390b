import { checkBrowserClean } from './browser-clean.ts';
import { checkDeadCode } from './dead-code.ts';
import { checkExamples } from './examples.ts';
import { checkExports } from './exports.ts';
import type { Check } from './finding.ts';
import { checkFormat } from './format.ts';
import { checkHygiene } from './hygiene.ts';
import { checkLayers } from './layers.ts';
import { checkLint } from './lint.ts';
import { checkReference } from './reference.ts';
import { checkSpec } from './spec.ts';
import { checkTypes } from './types.ts';

/** All checks by the name that `npm test -- <name>` takes, the quickest first. */
export const checks: ReadonlyMap<string, Check> = new Map<string, Check>([
  ['format', checkFormat],
  ['hygiene', checkHygiene],
  ['layers', checkLayers],
  ['spec', checkSpec],
  ['exports', checkExports],
  ['reference', checkReference],
  ['types', checkTypes],
  ['lint', checkLint],
  ['dead-code', checkDeadCode],
  ['browser-clean', checkBrowserClean],
  ['examples', checkExamples],
]);
