import { passage } from './script.ts';

/** Takes more than ten seconds at the pace of its topic. */
export const slowText = passage(
  '# The slow weaver',
  '',
  'There was once a weaver who never cut a thread. When a pattern displeased her she did not tear it out: she tied a new',
  'thread to the last good knot and went on from there, and the old pattern stayed where it was.',
  '',
  'People laughed. *So much cloth that nobody asked for!* But every winter somebody came back and said:',
  '',
  '> Do you remember the blue one, the one that you gave up? I think it was right after all.',
  '',
  'And she would walk along the loom, find the knot and say: *here it is, shall we go on?*',
  '',
  '1. She never lost a pattern.',
  '2. She never had to explain how she got to where she was: the threads showed it.',
  '3. She could work on three cloths at once, because they had the same beginning.',
  '',
  'When her eyes grew weak she took apprentices. Each tied their own threads, each in their own colour, and still nobody',
  'undid what another had done. Once the roof came down in a storm. They swept the dust from the loom, found every thread as',
  'it had been at that moment, and went on at the very knot where the storm had stopped them.',
  '',
  'This story takes its time, so that you can try what happens when you stop it, close the window or pull the plug. What',
  'you have read so far is kept. Say **go on**, and I will.',
);

interface Chapter {
  title: string;
  text: string;
  points: readonly string[];
}

const chapters: readonly Chapter[] = [
  {
    title: 'Roots and forests',
    text: 'Every conversation grows from a *root*. The root holds what is true for the whole tree: the system prompt and other settings. All roots together are the *forest*, and the forest lives in one directory that you own.',
    points: [
      'A new conversation is a new root.',
      'A root has a title, which you can change.',
      'Deleting a root can be undone.',
    ],
  },
  {
    title: 'Nodes and paths',
    text: 'A *node* is one message at one place of a tree. The *path* from the root to a node is the conversation as it reads from there, and it is what a model is sent. Two paths may share a beginning; it is kept once.',
    points: [
      'Roles are user, assistant and tool.',
      'A path is never changed by what happens beside it.',
      'Long paths cost no more than short ones to extend.',
    ],
  },
  {
    title: 'Blocks',
    text: 'A message is a list of *blocks*: text, thinking, calls of tools, images, code, commands, file changes, lists of tasks, sources. A block is the smallest thing with an identity. You can point at it, edit it, quote it and see who wrote it.',
    points: [
      'Nothing is flattened to plain text.',
      'What a provider signs is kept byte for byte.',
      'What is unknown is kept whole instead of being dropped.',
    ],
  },
  {
    title: 'Branching',
    text: 'An edit in the middle of a conversation does not overwrite what came after it. It opens a branch: the old messages stay below the old words, and the new ones grow below the new words. You can walk between the branches, compare them and bring a passage from one into another.',
    points: [
      'Fork from any message.',
      'Ask the same question twice and keep both answers.',
      'Bookmark a node, and nothing can delete it.',
    ],
  },
  {
    title: 'Context',
    text: "What a model is shown is worked out from the path, and only from the path. You can leave a block out without deleting it, or let the context begin further down. Before you do it, Loom tells you what it costs: how much of the provider's cache is lost and which signed thoughts can no longer be sent.",
    points: [
      'Left-out blocks stay where they are.',
      'The same path gives the same bytes.',
      'Ask me **what do you see** to check.',
    ],
  },
  {
    title: 'Turns',
    text: 'A *turn* is one run of a model, with all its rounds of tools. While it runs you can stop it, steer it, or queue the next message. Its context is frozen when it begins, so that an edit made meanwhile is seen by the next turn and not by half of this one.',
    points: [
      'Every call of a tool ends with a result, an error, a denial or an interruption.',
      'A tool is never started twice.',
      'A stopped answer keeps its words.',
    ],
  },
  {
    title: 'Approvals',
    text: 'A tool that could do harm asks first. Your approval holds for exactly the arguments that you saw, and only a person can give it. Text that looks like a call, pasted or imported or quoted by a model, is text: it is never run.',
    points: [
      'Approve or deny each call.',
      'A denial is told to the model, with your reason.',
      'Questions wait for you, even over a restart.',
    ],
  },
  {
    title: 'The log',
    text: 'Everything that happens is written to a log before it is shown. If the power fails, what you saw is there when you come back. The log remembers every version of every block, so that undo works on anything, whoever wrote it.',
    points: [
      'Durable before visible.',
      'People and models write through the same door.',
      'Plain files beside it can be read without Loom.',
    ],
  },
  {
    title: 'Several hands',
    text: 'A conversation may have several writers at once: you, a colleague, a model that is still speaking, a program that listens in. Each is an *agent* with a name, and each block knows who wrote it. When two of them change the same text at the same moment, both changes survive; when two of them want to decide the same thing, one is told that the other was first.',
    points: [
      'No agent overwrites what another agent wrote.',
      'Every reader sees the changes in the same order.',
      'A model may edit text, but it can never approve its own calls.',
    ],
  },
  {
    title: 'Going elsewhere, and coming back',
    text: 'Conversations rarely begin in Loom. They come from other programs, each with a format of its own, and they should be able to leave again. What Loom reads it keeps whole, calls and results included, and what it cannot name it keeps as it came. A second import of the same history finds the first instead of doubling it.',
    points: [
      'Import what you have; nothing of it is run.',
      'Export a branch or a whole forest.',
      'The files are plain JSON, one per message.',
    ],
  },
];

const questions: readonly (readonly [question: string, answer: string])[] = [
  ['Does an edit cost me the old answer?', 'No. It stays on its own branch, with everything below it.'],
  ['What happens to an answer when the connection breaks?', 'Its words up to there are kept, marked as interrupted.'],
  [
    'Can I switch the model in the middle?',
    'Yes. Thoughts that only the former model may see are left out, and you are told so.',
  ],
  [
    'Can a pasted text make Loom run something?',
    'No. Only what a model calls in a live turn is run, and only with your approval where it matters.',
  ],
  ['Where is all this kept?', 'In one directory of yours. Copy it, and you have copied everything.'],
];

/** A long answer with every Markdown element. */
export const longText = passage(
  '# A field guide to Loom',
  '',
  'This answer is long on purpose. It has headings, lists, tables, code and quotations, so that you can see how they stream.',
  '',
  '| chapter | in one line |',
  '| ---: | :--- |',
  ...chapters.map(({ title, points }, index) => `| ${index + 1} | **${title}**: ${points[0] ?? ''} |`),
  '',
  ...chapters.flatMap(({ title, text, points }, index) => [
    `## ${index + 1}. ${title}`,
    '',
    text,
    '',
    ...points.map((point) => `- ${point}`),
    '',
  ]),
  `## ${chapters.length + 1}. From the command line`,
  '',
  '```sh',
  'loom chat                  # talk; /fork, /tree, /undo and /model are at hand',
  'loom chat -p "hello"       # one question, one answer',
  'loom tree                  # all conversations and their branches',
  'loom diff <node> <node>    # two branches side by side',
  '```',
  '',
  `## ${chapters.length + 2}. From a program`,
  '',
  '```ts',
  'for (const block of message.content) {',
  "  if (block.type === 'text') process.stdout.write(block.text);",
  '}',
  '```',
  '',
  `## ${chapters.length + 3}. Questions`,
  '',
  ...questions.flatMap(([question, answer]) => [`**${question}**`, '', answer, '']),
  '---',
  '',
  '> A conversation is not a line. It only looks like one from the inside.',
);
