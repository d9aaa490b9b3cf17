// Crews within flows: each task is answered by the model with its own name.
import { Agent, Crew, Task } from "../../../src/index.ts";
import { scriptedModel } from "../../../src/testing/index.ts";

/** A crew of so many tasks, one after another. */
export function crewOf(length: number): Crew {
  const agent = new Agent({
    role: "Writer",
    goal: "write",
    backstory: "writes",
    llm: scriptedModel(({ messages }) => {
      const task = /task (\d) of (\w+)/.exec(String(messages.at(-1)?.content))?.slice(1);
      return `answer ${task?.join(" of ")}`;
    }),
  });
  const tasks = Array.from(
    { length },
    (_, at) =>
      new Task({
        name: `t${at}`,
        description: `Do task ${at} of {from}`,
        expectedOutput: "words",
        agent,
      }),
  );
  return new Crew({ name: "inner", agents: [agent], tasks });
}
