import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isPlainObject } from '@loom/blocks';
import { modelMessageSchema } from 'ai';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { z } from 'zod';
import type { ArrayFormat } from '../arrays/message-arrays.ts';

/** Returns the errors that the vendor's schema finds in the messages of one branch; none if all is well. */
export function vendorFindings(format: ArrayFormat, branch: unknown): string[] {
  switch (format) {
    case 'openai':
      return findings('openai-messages', branch);
    case 'anthropic':
      // One schema is written by hand from the reference of the API, the other made from the types of the SDK, which allow more, such as blank texts.
      return [
        ...findings('anthropic-messages', branch),
        ...findings('anthropic-sdk-types', isPlainObject(branch) ? branch['messages'] : branch),
      ];
    case 'ai-sdk': {
      const parsed = z.array(modelMessageSchema).safeParse(branch);
      return parsed.success ? [] : [z.prettifyError(parsed.error)];
    }
  }
}

const ajv = new Ajv2020({ strict: false, formats: { uri: (text: string) => URL.canParse(text) } });
const compiled = new Map<string, ReturnType<typeof ajv.compile>>();

function findings(name: string, value: unknown): string[] {
  const known = compiled.get(name);
  const validate =
    known ??
    ajv.compile(
      z
        .record(z.string(), z.unknown())
        .parse(JSON.parse(readFileSync(join(import.meta.dirname, 'schemas', `${name}.schema.json`), 'utf8'))),
    );
  compiled.set(name, validate);
  return validate(value) ? [] : (validate.errors ?? []).map(({ instancePath: at, message }) => `${at} ${message}`);
}
