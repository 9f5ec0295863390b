import { isPlainObject } from '@loom/blocks';
import type { PlainObject, ToolBlock } from '@loom/blocks';
import { viewsOfItem } from '@loom/blocks/views';
import type { Approval, Ask, PermissionRule, Question } from '@loom/kernel';
import { readForm } from './mcp-form.ts';

/** A question of Codex about one of its calls, and how its answer is told to Codex. */
export interface CodexQuestion {
  /** The call; `undefined` if Codex does not say which of those that run. */
  readonly call: string | undefined;
  readonly ask: Ask;
  reply(approval: Approval): PlainObject;
  /** The answer where no person can be asked. */
  readonly refusal: PlainObject;
}

/**
 * Reads a request of Codex. `item` is the item that it is about, as it was told when it began. `undefined` for requests that are not questions to a
 * person.
 */
export function readQuestion(
  method: string,
  params: PlainObject,
  item: PlainObject | undefined,
): CodexQuestion | undefined {
  const call = typeof params.itemId === 'string' ? params.itemId : '';
  switch (method) {
    case 'item/commandExecution/requestApproval':
      return commandQuestion(call, params);
    case 'item/fileChange/requestApproval':
      return changeQuestion(call, params, item);
    case 'item/permissions/requestApproval':
      return permissionQuestion(call, params);
    case 'item/tool/requestUserInput':
      return inputQuestion(call, params);
    case 'mcpServer/elicitation/request':
      return serverQuestion(params);
    default:
      return undefined;
  }
}

/** A question of an MCP server, or of Codex before it calls one: yes or no, or a form. One that cannot be shown as questions is declined. */
function serverQuestion({ serverName, message, requestedSchema, url }: PlainObject): CodexQuestion | undefined {
  const refusal = { action: 'decline', content: null, _meta: null };
  const properties = isPlainObject(requestedSchema) ? requestedSchema.properties : undefined;
  const text = `${textOf(serverName) ?? 'A server'} asks: ${textOf(message) ?? ''}`;
  if (typeof url === 'string') return undefined;
  if (isPlainObject(properties) && Object.keys(properties).length > 0) {
    const form = readForm(requestedSchema);
    if (form === undefined) return undefined;
    const [first, ...others] = form.questions;
    return {
      call: undefined,
      // Several questions are shown with their number alone: the first one says who asks.
      ask: { kind: 'question', preview: [], questions: [{ ...first, text: `${text}\n${first.text}` }, ...others] },
      reply({ decision, answers = [] }) {
        const content = decision === 'answered' ? form.contentOf(answers) : undefined;
        return content === undefined ? refusal : { action: 'accept', content, _meta: null };
      },
      refusal,
    };
  }
  const required = isPlainObject(requestedSchema) ? requestedSchema.required : undefined;
  if (Array.isArray(required) && required.length > 0) return undefined;
  return {
    call: undefined,
    ask: askOf([{ type: 'text', text }], undefined),
    reply: ({ decision }) => (decision === 'denied' ? refusal : { action: 'accept', content: {}, _meta: null }),
    refusal,
  };
}

function commandQuestion(call: string, params: PlainObject): CodexQuestion {
  const command = textOf(params.command) ?? '';
  const { proposedExecpolicyAmendment: proposed } = params;
  const prefix = Array.isArray(proposed) ? proposed.filter((word) => typeof word === 'string') : [];
  const rule: PermissionRule | undefined =
    prefix.length === 0
      ? undefined
      : {
          tool: 'exec_command',
          command: prefix.join(' '),
          effect: 'allow',
          provider: { execpolicy_amendment: prefix },
        };
  return {
    call,
    ask: askOf([{ type: 'command', command }, ...reasonOf(params)], rule),
    reply(approval) {
      if (approval.decision === 'denied') return { decision: 'decline' };
      if (approval.scope === undefined || approval.scope === 'once') return { decision: 'accept' };
      if (approval.scope === 'conversation' || prefix.length === 0) return { decision: 'acceptForSession' };
      return { decision: { acceptWithExecpolicyAmendment: { execpolicy_amendment: prefix } } };
    },
    refusal: { decision: 'decline' },
  };
}

function changeQuestion(call: string, params: PlainObject, item: PlainObject | undefined): CodexQuestion {
  return {
    call,
    ask: askOf([...viewsOfItem(item), ...reasonOf(params)], undefined),
    reply({ decision, scope }) {
      if (decision === 'denied') return { decision: 'decline' };
      return { decision: scope === undefined || scope === 'once' ? 'accept' : 'acceptForSession' };
    },
    refusal: { decision: 'decline' },
  };
}

function permissionQuestion(call: string, params: PlainObject): CodexQuestion {
  const wanted = isPlainObject(params.permissions) ? params.permissions : {};
  const granted = Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== null));
  const text = `Codex asks for more permissions: ${JSON.stringify(granted)}`;
  return {
    call,
    ask: askOf([{ type: 'text', text }, ...reasonOf(params)], undefined),
    reply({ decision, scope }) {
      if (decision === 'denied') return { permissions: {}, scope: 'turn' };
      return { permissions: granted, scope: scope === undefined || scope === 'once' ? 'turn' : 'session' };
    },
    refusal: { permissions: {}, scope: 'turn' },
  };
}

function inputQuestion(call: string, params: PlainObject): CodexQuestion | undefined {
  const asked = (Array.isArray(params.questions) ? params.questions : []).filter(isPlainObject);
  const questions = asked.map(questionOf);
  if (questions.length === 0) return undefined;
  return {
    call,
    ask: { kind: 'question', preview: [], questions },
    reply({ answers = [], text }) {
      const given = asked.map(({ id }, index): [string, PlainObject] => {
        const { chosen = [], text: words } = answers[index] ?? {};
        const own = words ?? (answers.length === 0 ? text : undefined);
        return [textOf(id) ?? '', { answers: [...chosen, ...(own === undefined || own === '' ? [] : [own])] }];
      });
      return { answers: Object.fromEntries(given) };
    },
    refusal: { answers: {} },
  };
}

function questionOf({ header, question, options }: PlainObject): Question {
  const choices = (Array.isArray(options) ? options : []).filter(isPlainObject).map(({ label, description }) => {
    const detail = textOf(description);
    return { label: textOf(label) ?? '', ...(detail === undefined || detail === '' ? {} : { detail }) };
  });
  const text = textOf(question) ?? textOf(header) ?? '';
  return choices.length === 0 ? { text } : { text, choices };
}

function askOf(preview: ToolBlock[], rule: PermissionRule | undefined): Ask {
  return { kind: 'ask', preview, ...(rule === undefined ? {} : { rules: [rule] }) };
}

function reasonOf({ reason }: PlainObject): ToolBlock[] {
  return typeof reason === 'string' && reason !== '' ? [{ type: 'text', text: reason }] : [];
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
