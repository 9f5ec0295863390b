import type { Argument, Expression, ImportDeclarationSpecifier, Node } from 'oxc-parser';
import { parseSync, Visitor } from 'oxc-parser';
import type { Finding } from './finding.ts';
import { literalText, propertyName } from './literal-text.ts';
import { lineAt, listFiles, listSources, readText } from './repository.ts';

/** Holds the numbered rules of docs/spec/ and the titles of all tests against each other, both ways. */
export function checkSpec(root: string): Finding[] {
  const { rules, findings } = readRules(root);
  const cited = new Set<string>();
  const found = [...findings];
  for (const file of listSources(root)) {
    const text = readText(root, file);
    if (!text.includes('node:test')) continue;
    for (const { line, isGroup, title, modifier, hasBody } of readTests(file, text)) {
      const report = (message: string): void => void found.push({ file, line, message });
      if (modifier !== undefined) {
        report(`take \`${modifier}\` away: it hides tests (a condition that is worked out at run time may skip)`);
      }
      if (isGroup) continue;
      if (!hasBody) report('give the test a body: without one it passes');
      if (!/\.test\.ts$|\/testing\//u.test(file))
        report('move the test to a file named *.test.ts: no other file is run');
      if (title === undefined) {
        report(
          "write the title as a string that starts with its rule, such as '[XX1] …'; what comes after may be computed",
        );
        continue;
      }
      const ids = citations(title);
      if (ids.length === 0) report(`start the title with the rule that it shows, such as '[XX1] ${title}'`);
      for (const id of ids) {
        if (!rules.has(id)) report(`there is no rule ${id} in docs/spec/`);
        cited.add(id);
      }
    }
  }
  for (const [id, place] of rules) {
    if (!cited.has(id))
      found.push({ ...place, message: `rule ${id} has no test; write one whose title starts with [${id}]` });
  }
  return found;
}

interface Place {
  readonly file: string;
  readonly line: number;
}

function readRules(root: string): { rules: Map<string, Place>; findings: Finding[] } {
  const rules = new Map<string, Place>();
  const findings: Finding[] = [];
  for (const file of listFiles(root).filter((path) => /^docs\/spec\/.*\.md$/u.test(path))) {
    let fenced = false;
    for (const [index, text] of readText(root, file).split('\n').entries()) {
      if (text.startsWith('```')) fenced = !fenced;
      // Everything that looks like the start of a rule is one, so that a slip of the pen cannot drop it.
      const [, id] = fenced ? [] : (/^\s*(?:[-*+]|\d+\.)\s+\*\*([A-Za-z]+\d+)\b/u.exec(text) ?? []);
      if (id === undefined) continue;
      const place = { file, line: index + 1 };
      const earlier = rules.get(id);
      if (!/^- \*\*[A-Z]{2,}\d+\*\* \S/u.test(text)) {
        findings.push({ ...place, message: `write the rule as "- **${id.toUpperCase()}** One sentence."` });
      }
      if (earlier !== undefined) {
        findings.push({
          ...place,
          message: `${id} is defined in ${earlier.file}:${earlier.line} already; give this rule its own number`,
        });
      }
      rules.set(id, place);
    }
  }
  return { rules, findings };
}

interface TestCall {
  readonly line: number;
  /** True if it only gathers tests: such a call needs no rule. */
  readonly isGroup: boolean;
  /** The title, or its part before the first substitution; undefined when it cannot be read. */
  readonly title: string | undefined;
  /** `only`, `skip` or `todo`, written so that it always holds. */
  readonly modifier: string | undefined;
  readonly hasBody: boolean;
}

/** The calls of what the module imports from node:test, under whatever name. */
function readTests(file: string, text: string): TestCall[] {
  const { program } = parseSync(file, text);
  const names = new Map<string, string[]>();
  const tests: TestCall[] = [];
  new Visitor({
    ImportDeclaration: ({ source, specifiers }) => {
      if (source.value !== 'node:test') return;
      for (const specifier of specifiers) names.set(specifier.local.name, importedWords(specifier));
    },
    CallExpression: ({ callee, arguments: [title, ...rest], start }) => {
      const [local = '', ...members] = wordsOf(callee);
      const imported = names.get(local);
      if (imported === undefined) return;
      const words = [...imported, ...members];
      // `test.mock.fn` and `test.after` are no tests.
      if (!words.some(isDefiner) || !words.every((word) => isDefiner(word) || modifiers.includes(word))) return;
      tests.push({
        line: lineAt(text, start),
        isGroup: ['describe', 'suite'].includes(words.findLast(isDefiner) ?? ''),
        title: titleText(title),
        modifier: words.find((word) => modifiers.includes(word)) ?? rest.map(constantModifier).find(Boolean),
        hasBody: rest.some((argument) => argument.type !== 'ObjectExpression'),
      });
    },
  }).visit(program);
  return tests;
}

const modifiers = ['only', 'skip', 'todo'];

function isDefiner(word: string): boolean {
  return ['test', 'it', 'describe', 'suite'].includes(word);
}

/** The meaning of an imported name: the default import is `test` and holds the others, a namespace only holds them. */
function importedWords(specifier: ImportDeclarationSpecifier): string[] {
  if (specifier.type === 'ImportDefaultSpecifier') return ['test'];
  if (specifier.type === 'ImportNamespaceSpecifier') return [];
  return [specifier.imported.type === 'Identifier' ? specifier.imported.name : specifier.imported.value];
}

/** `test` → test, `test.skip` → test and skip; nothing for other expressions. */
function wordsOf(callee: Expression): string[] {
  if (callee.type === 'Identifier') return [callee.name];
  if (callee.type !== 'MemberExpression') return [];
  const { object, property } = callee;
  const before = object.type === 'Super' ? [] : wordsOf(object);
  const name = propertyName(property);
  return before.length === 0 || name === undefined ? [] : [...before, name];
}

function constantModifier(options: Argument): string | undefined {
  if (options.type !== 'ObjectExpression') return undefined;
  for (const property of options.properties) {
    if (property.type !== 'Property') continue;
    const { key, value } = property;
    const name = propertyName(key);
    const isConstant = value.type === 'Literal' ? value.value !== false : literalText(value) !== undefined;
    if (name !== undefined && modifiers.includes(name) && isConstant) return name;
  }
  return undefined;
}

function titleText(node: Node | undefined): string | undefined {
  if (node?.type === 'TemplateLiteral') {
    const start = node.quasis[0]?.value.cooked ?? '';
    return start === '' ? undefined : start;
  }
  // A long title may be broken: '[XX1] …' + '…'.
  return node?.type === 'BinaryExpression' && node.operator === '+' ? titleText(node.left) : literalText(node);
}

/** The rules at the start of a title: `[XX1] …`, `[XX1] [XX2] …` or `[XX1, XX2] …`. */
function citations(title: string): string[] {
  const [start = ''] = /^(?:\[[A-Z]{2,}\d+(?:, ?[A-Z]{2,}\d+)*\] ?)+/u.exec(title) ?? [];
  return start.match(/[A-Z]{2,}\d+/gu) ?? [];
}
