import { isPlainObject, toolBlock } from '@loom/blocks';
import type { PlainObject, ToolBlock } from '@loom/blocks';
import { viewsOfToolCall } from '@loom/blocks/views';
import type { PermissionQuestion } from '@loom/exchange/claude-code';
import type { Approval, ApprovalMode, Ask, PermissionRule, Question } from '@loom/kernel';
import { source } from './live-events.ts';
import { claudeModes, modeNamed, modesAfterPlan } from './modes.ts';

/** Words a permission question of Claude Code as one of Loom's. */
export function askOf(question: PermissionQuestion): Ask {
  const questions = questionsOf(question);
  if (questions !== undefined) return { kind: 'question', preview: [], questions };
  if (isPlan(question)) return { kind: 'ask', preview: previewOf(question), modes: modesAfterPlan };
  const rules = question.suggestions.filter(isOffered).map((suggestion) => ruleOf(question, suggestion));
  const [first, ...others] = rules;
  return { kind: 'ask', preview: previewOf(question), ...(first === undefined ? {} : { rules: [first, ...others] }) };
}

/** Returns the response to a question once a person has decided. Rules that hold for longer are kept by Claude Code. */
export function responseTo(question: PermissionQuestion, approval: Approval): PlainObject {
  const { decision, text, parameters, scope, rules = [], answers } = approval;
  if (decision === 'denied') return denial(text);
  const input = parameters ?? question.input;
  if (decision === 'answered') {
    const asked = questionsOf(question) ?? [];
    const said = new Map(asked.map(({ text: words }, index) => [words, answerOf(answers?.[index], text)]));
    return { behavior: 'allow', updatedInput: { ...input, answers: Object.fromEntries<string>(said) } };
  }
  if (isPlan(question)) return { behavior: 'allow', updatedInput: input, updatedPermissions: [planMode(approval)] };
  const destination = scope === undefined ? undefined : destinations[scope];
  const kept = rules.flatMap(({ provider }) => {
    const own: unknown = provider?.[source];
    return isPlainObject(own) ? [{ ...own, destination }] : [];
  });
  const lasting = destination === undefined || kept.length === 0 ? {} : { updatedPermissions: kept };
  return { behavior: 'allow', updatedInput: input, ...lasting };
}

/** Returns the mode in which Claude Code goes on after a decision; `undefined` if it stays in its mode. */
export function modeAfter(question: PermissionQuestion, approval: Approval): ApprovalMode | undefined {
  const { decision, mode, scope = 'once', rules = [] } = approval;
  if (decision !== 'approved') return undefined;
  if (isPlan(question)) return mode ?? modesAfterPlan[0];
  const modes = rules.flatMap(({ provider }) => {
    const own: unknown = provider?.[source];
    return isPlainObject(own) && own['type'] === 'setMode' ? [modeNamed(String(own['mode']))] : [];
  });
  return scope === 'once' ? undefined : modes.at(-1);
}

function isPlan({ tool, input }: PermissionQuestion): boolean {
  return tool === 'ExitPlanMode' && typeof input['plan'] === 'string';
}

/** The mode that the program goes on in once a plan was approved. */
function planMode({ mode }: Approval): PlainObject {
  return { type: 'setMode', mode: claudeModes[mode ?? modesAfterPlan[0]].name, destination: 'session' };
}

/** Refuses suggestions to switch to a mode that Loom does not have, such as one that asks nothing. */
function isOffered(suggestion: PlainObject): boolean {
  return suggestion['type'] !== 'setMode' || modeNamed(String(suggestion['mode'])) !== undefined;
}

/** Returns the response that denies a call. */
export function denial(reason: string | undefined): PlainObject {
  return { behavior: 'deny', message: reason ?? 'The person does not want this call to run.' };
}

/** The places at which Claude Code keeps rules, by their reach. */
const destinations = {
  once: undefined,
  conversation: 'session',
  folder: 'localSettings',
  anywhere: 'userSettings',
} as const;

function questionsOf({ tool, input }: PermissionQuestion): [Question, ...Question[]] | undefined {
  const asked = input['questions'];
  if (tool !== 'AskUserQuestion' || !Array.isArray(asked)) return undefined;
  const questions = asked.flatMap((each: unknown): Question[] => {
    if (!isPlainObject(each) || typeof each['question'] !== 'string') return [];
    const options = Array.isArray(each['options']) ? each['options'] : [];
    const choices = options.flatMap((option: unknown) => {
      if (!isPlainObject(option) || typeof option['label'] !== 'string') return [];
      const { label, description } = option;
      return [{ label, ...(typeof description === 'string' ? { detail: description } : {}) }];
    });
    const several = each['multiSelect'] === true ? { several: true as const } : {};
    return [{ text: each['question'], ...(choices.length === 0 ? {} : { choices }), ...several }];
  });
  const [first, ...others] = questions;
  return first === undefined ? undefined : [first, ...others];
}

function answerOf(answer: NonNullable<Approval['answers']>[number] | undefined, text: string | undefined): string {
  if (answer === undefined) return text ?? '';
  return [...(answer.chosen ?? []), ...(answer.text === undefined ? [] : [answer.text])].join(', ');
}

/** Words a permission that Claude Code suggests to keep as a rule. */
function ruleOf({ tool }: PermissionQuestion, suggestion: PlainObject): PermissionRule {
  const provider = { [source]: suggestion };
  const rule = firstOf(suggestion['rules']);
  if (isPlainObject(rule) && typeof rule['toolName'] === 'string') {
    const content = rule['ruleContent'];
    const name = rule['toolName'];
    const narrowed = typeof content !== 'string' ? {} : name === 'Bash' ? { command: content } : { path: content };
    return { tool: name, ...narrowed, effect: 'allow', provider };
  }
  const directory = firstOf(suggestion['directories']);
  if (typeof directory === 'string') return { tool: '*', directory, effect: 'allow', provider };
  // A mode that accepts edits: a permission for every tool that edits files.
  return { tool: suggestion['type'] === 'setMode' ? 'Edit' : tool, effect: 'allow', provider };
}

/** Shows what a call would do. */
function previewOf({ tool, input, description }: PermissionQuestion): ToolBlock[] {
  const plan = input['plan'];
  if (tool === 'ExitPlanMode' && typeof plan === 'string') return [{ type: 'text', text: plan }];
  const views = viewsOfToolCall({ name: tool, parameters: input }).flatMap((view) => {
    const read = toolBlock.safeParse(view);
    return read.success ? [read.data] : [];
  });
  if (views.length > 0) return views;
  return description === undefined ? [] : [{ type: 'text', text: description }];
}

function firstOf(value: unknown): unknown {
  const list: readonly unknown[] = Array.isArray(value) ? value : [];
  return list[0];
}
