import { scriptedModel } from "../../../src/llm/scripted/scripted-model.ts";
import { Agent, Crew, Task } from "../../../src/index.ts";

/** Answers with all that it is told, but remembers one statement. */
const tells = scriptedModel(({ messages, responseSchema }) => {
  const told = messages.map(({ content }) => content).join("\n");
  const fields = Object.keys((responseSchema?.schema["properties"] ?? {}) as object);
  if (fields.includes("memories"))
    return JSON.stringify({ memories: ["The keeper's answer was about the lighthouse lamp"] });
  return `told: ${told}`;
});

/** A crew that knows the collection `house`, and remembers. */
export const keeper = new Crew({
  name: "keeper",
  memory: true,
  tasks: [
    new Task({
      name: "tell",
      description: "What is to be known of the lighthouse lamp?",
      expectedOutput: "Everything",
      agent: new Agent({
        role: "Keeper",
        goal: "Know the house",
        backstory: "You live there.",
        llm: tells,
        knowledge: "house",
        knowledgeConfig: { rewrite: false, scoreThreshold: 0.1 },
      }),
    }),
  ],
});
