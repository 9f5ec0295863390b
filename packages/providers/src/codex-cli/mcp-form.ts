import { isPlainObject } from '@loom/blocks';
import type { PlainObject } from '@loom/blocks';
import type { Answer, Question } from '@loom/kernel';

/** A form of an MCP server as questions to a person, and how their answers become its content. */
export interface McpForm {
  readonly questions: [Question, ...Question[]];
  /** Returns the content; `undefined` where an answer is none that the form takes, such as a word for a number. */
  contentOf(answers: readonly Answer[]): PlainObject | undefined;
}

interface Field {
  readonly question: Question;
  /** Returns the value of an answer; `undefined` if the form does not take it. */
  valueOf(answer: Answer): unknown;
}

/** Reads a form: the flat objects of texts, numbers, choices and switches that servers may ask for. `undefined` for any other. */
export function readForm(schema: unknown): McpForm | undefined {
  const properties = isPlainObject(schema) && isPlainObject(schema.properties) ? Object.entries(schema.properties) : [];
  const required: readonly unknown[] = isPlainObject(schema) && Array.isArray(schema.required) ? schema.required : [];
  const fields = properties.map(([name, property]) => ({
    name,
    isRequired: required.includes(name),
    field: isPlainObject(property) ? fieldOf(name, property, required.includes(name)) : undefined,
  }));
  const questions = fields.flatMap(({ field }) => (field === undefined ? [] : [field.question]));
  const [first, ...others] = questions;
  if (first === undefined || questions.length < fields.length) return undefined;
  return {
    questions: [first, ...others],
    contentOf(answers) {
      const content: PlainObject = {};
      for (const [index, { name, isRequired, field }] of fields.entries()) {
        const answer = answers[index] ?? {};
        const isEmpty = (answer.chosen ?? []).length === 0 && (answer.text ?? '').trim() === '';
        if (isEmpty && !isRequired) continue;
        const value = field?.valueOf(answer);
        if (value === undefined) return undefined;
        content[name] = value;
      }
      return content;
    },
  };
}

function fieldOf(name: string, property: PlainObject, isRequired: boolean): Field | undefined {
  const { title, description, type, items } = property;
  const words = [typeof title === 'string' ? title : name, ...(typeof description === 'string' ? [description] : [])];
  const text = `${words.join(': ')}${isRequired ? '' : ' (may be left empty)'}`;
  const listed = choicesIn(property);
  if (listed !== undefined) return choiceField(text, listed);
  switch (type) {
    case 'string':
      return { question: { text }, valueOf: (answer) => answer.text ?? answer.chosen?.[0] };
    case 'number':
    case 'integer':
      return { question: { text }, valueOf: (answer) => numberIn(answer.text ?? '', type === 'integer') };
    case 'boolean':
      return choiceField(text, [
        { label: 'Yes', value: true },
        { label: 'No', value: false },
      ]);
    case 'array': {
      const several = isPlainObject(items) ? choicesIn(items) : undefined;
      return several === undefined ? undefined : choicesField(text, several);
    }
    default:
      return undefined;
  }
}

interface Choice {
  readonly label: string;
  readonly value: unknown;
}

/** Returns the choices of a field, in the spellings that versions of the protocol have. */
function choicesIn({ enum: values, enumNames, oneOf, anyOf }: PlainObject): Choice[] | undefined {
  if (Array.isArray(values)) {
    const names: readonly unknown[] = Array.isArray(enumNames) ? enumNames : [];
    return values.map((value: unknown, index) => ({ label: String(names[index] ?? value), value }));
  }
  const titled = Array.isArray(oneOf) ? oneOf : Array.isArray(anyOf) ? anyOf : undefined;
  const found = titled?.filter(isPlainObject).filter((each) => each.const !== undefined);
  return found === undefined || found.length === 0
    ? undefined
    : found.map(({ const: value, title }) => ({ label: typeof title === 'string' ? title : String(value), value }));
}

function choiceField(text: string, choices: readonly Choice[]): Field {
  const question = { text, choices: choices.map(({ label }) => ({ label })) };
  return { question, valueOf: ({ chosen = [], text: said }) => valueNamed(choices, chosen[0] ?? said) };
}

function choicesField(text: string, choices: readonly Choice[]): Field {
  const question = { text, choices: choices.map(({ label }) => ({ label })), several: true as const };
  return { question, valueOf: ({ chosen = [] }) => chosen.map((label) => valueNamed(choices, label)) };
}

function valueNamed(choices: readonly Choice[], label: string | undefined): unknown {
  return choices.find((choice) => choice.label === label)?.value;
}

function numberIn(text: string, isInteger: boolean): number | undefined {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  return Number.isFinite(value) && (!isInteger || Number.isInteger(value)) ? value : undefined;
}
