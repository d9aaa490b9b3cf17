import { WORDS, type CaseWriter } from "../case-writer.ts";
import type { CrewCase, Reply } from "../crew-case.ts";

/** One run for each of some inputs, also for empty ones. */
export function each({ random }: CaseWriter, made: CrewCase): void {
  const inputs: Record<string, string>[] = Array.from({ length: 1 + random.below(3) }, (_, at) => ({
    topic: WORDS[at] ?? "",
  }));
  if (random.chance(0.15)) inputs.push({});
  made.each = inputs;
  for (const task of made.tasks) {
    const marker = `<<T:${task.name}`;
    task.description = task.description.replace(`${marker}>>`, `${marker}_{topic}>>`);
    const replies = made.script[task.name] ?? [];
    delete made.script[task.name];
    for (const { topic } of inputs)
      made.script[`${task.name}_${topic ?? "{topic}"}`] = replies.map((reply) => of(reply, topic));
  }
}

function of(reply: Reply, topic = ""): Reply {
  if (reply.text === undefined) return reply;
  return { ...reply, text: reply.text.replace(/(\d+)/, `$1${topic}`) };
}
