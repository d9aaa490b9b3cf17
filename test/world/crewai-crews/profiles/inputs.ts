import type { CaseWriter } from "../case-writer.ts";
import type { CrewCase } from "../crew-case.ts";

const TEXTS: readonly string[] = [
  "Work on {topic}",
  "Use {topic} and {count}",
  'JSON {"a": 1} and {topic}',
  "Twice {{topic}}",
  "Odd {not valid} {1a} {}",
  "Missing {missing}",
  "Value {value}",
  "{ topic } spaced",
  "{topic-name} dashed",
  "No placeholder",
  "Nested {inner}",
  "Brace } and {",
];

const VALUES: readonly unknown[] = [
  7,
  1.5,
  true,
  false,
  null,
  "plain",
  "with {topic} inside",
  "",
  ["a", "b"],
  { k: "v", n: 1 },
  "ünï\"q'",
  "a\nb",
  1e21,
  "{value}",
];

/** Placeholders that are missing, odd, nested or doubled, and values of every type of JSON. */
export function inputs({ random }: CaseWriter, made: CrewCase): void {
  for (const task of made.tasks) {
    task.description = `${random.pick(TEXTS)} <<T:${task.name}>>`;
    if (random.chance(0.2)) task.expectedOutput = random.pick(["{count} lines", "{missing2}", ""]);
  }
  const topic = made.inputs?.["topic"];
  const values: readonly (readonly [string, unknown])[] = [
    ["topic", random.pick([topic, topic, ...VALUES])],
    ["count", random.pick(VALUES)],
    ["value", random.pick(VALUES)],
    ["inner", "{topic}"],
  ];
  made.inputs = Object.fromEntries(values.filter(() => random.chance(0.85)));
  if (random.chance(0.15)) made.inputs = random.pick([{}, null]);
}
