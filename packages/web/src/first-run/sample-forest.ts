/** A message of the sample and those that follow it: several are branches. */
export interface SampleMessage {
  readonly role: 'user' | 'assistant';
  readonly text: string;
  readonly below?: readonly SampleMessage[];
  readonly bookmark?: string;
}

export const sampleTitle = 'A bread that fits into a weekday';

/** A small conversation with forks in it, to look at before the reader has one. */
export const sampleForest: SampleMessage = {
  role: 'user',
  text: 'I want to bake bread on a weekday. I leave at 8 and am back at 18. What would you do?',
  below: [
    {
      role: 'assistant',
      text: 'Let time do the work. There are two ways that fit into your day:\n\n1. **Overnight in the fridge.** Mix in the evening, shape in the morning, bake at 18:30.\n2. **No-knead, all day long.** Mix at 7:30 with very little yeast, bake when you are back.\n\nBoth need about 15 minutes of your hands.',
      below: [
        {
          role: 'user',
          text: 'The second one. How much yeast is very little?',
          below: [
            {
              role: 'assistant',
              text: 'For 500 g of flour at 20 °C over ten hours: **0.5 g of dry yeast**, about an eighth of a teaspoon.\n\n| room | dry yeast |\n| --- | --- |\n| 18 °C | 0.8 g |\n| 20 °C | 0.5 g |\n| 24 °C | 0.25 g |\n\nWarmer flour, less yeast.',
              bookmark: 'the recipe',
              below: [
                {
                  role: 'user',
                  text: 'Write the whole recipe as a list that I can print.',
                  below: [
                    {
                      role: 'assistant',
                      text: '- 500 g flour, 10 g salt, 0.5 g dry yeast, 375 g water\n- 7:30 mix until no flour is dry, cover\n- 18:00 fold four times, 30 minutes of rest, oven to 240 °C with the pot in it\n- 18:30 bake 30 minutes covered, 15 minutes open',
                    },
                  ],
                },
              ],
            },
          ],
        },
        {
          role: 'user',
          text: 'The first one, but with half rye.',
          below: [
            {
              role: 'assistant',
              text: 'Then plan for a wetter dough and a sourdough starter: rye needs acid, or the crumb turns gummy. Keep the rye at 40 % the first time, and bake it in a tin.',
            },
          ],
        },
      ],
    },
    {
      role: 'assistant',
      text: 'Bake flatbread. Flour, water, salt, oil: mix at 18:00, rest 20 minutes, four minutes each in a hot pan. Nothing to plan, and it is on the table at 18:45.',
    },
  ],
};
