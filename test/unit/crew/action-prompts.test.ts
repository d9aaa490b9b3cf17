// PR1 for training, tests and chats: what a crew says in place of the default texts is what models are told.
import { expect, it } from "vitest";
import { DEFAULT_PROMPTS, type PromptOverrides } from "../../../src/agent/prompts/prompts.ts";
import { actionProgram } from "../../../src/crew/actions/crew-action.ts";
import type { Crew } from "../../../src/crew/crew.ts";
import { scriptedModel } from "../../../src/llm/scripted/scripted-model.ts";
import { calling, scriptedAgent, soloCrew } from "../../support/crew-harness.ts";
import { runWhole } from "../../support/cut-off.ts";

const LESSON = '{"suggestions":["x"],"quality":5,"finalSummary":""}';

/** What all models were told while something was done with a crew that marks one of its texts. */
async function toldWith(section: "training" | "testing" | "chat", key: string): Promise<string> {
  const text = (DEFAULT_PROMPTS as Record<string, Record<string, string>>)[section]?.[key] ?? "";
  const prompts = { [section]: { [key]: `MARK ${text}` } } as PromptOverrides;
  let first = true;
  const { agent, model } = scriptedAgent(({ messages, responseSchema }) => {
    const wantsLesson = messages.some(({ content }) => content.includes("final_summary"));
    return wantsLesson || responseSchema !== undefined ? LESSON : `answer ${messages.length}`;
  });
  const chatLlm = scriptedModel(({ messages, tools }) => {
    if (tools === undefined) return '{"crew":"C","inputs":{}}';
    if (messages.at(-1)?.role === "tool" || !first) return "done";
    first = false;
    return calling("solo");
  });
  const judge = scriptedModel(() => '{"quality":5}');
  const crew = soloCrew(agent, { crew: { prompts, chatLlm } });
  const actions: Record<typeof section, () => Promise<unknown>> = {
    training: () => trainedAndUsed(crew),
    testing: () => crew.test({ iterations: 1, evalModel: judge }),
    chat: () => {
      const messages = [{ role: "user", content: "Hello" }] as const;
      const program = actionProgram(crew, { action: "chat", messages });
      return runWhole({ program, inputs: { "notes.txt": { $file: "uploads/notes.txt" } } });
    },
  };
  await actions[section]();
  return JSON.stringify(
    [model, chatLlm, judge].flatMap(({ calls }) => calls.map(({ request }) => request)),
  );
}

async function trainedAndUsed(crew: Crew): Promise<void> {
  const trained = await crew.train({ iterations: 2, answer: () => "more" });
  await crew.copy({ trained }).kickoff();
}

/** Texts that people are asked with. */
const ASKED = ["question", "instructions"];
const told = Object.keys(DEFAULT_PROMPTS.training).filter((key) => !ASKED.includes(key));

it("training.question and training.instructions reach the person, and do not offer to approve", async () => {
  const { agent } = scriptedAgent(["x"]);
  const prompts = { training: { question: "Teach: {answer}", instructions: "Say." } };
  const run = soloCrew(agent, { crew: { prompts } }).startTraining({ iterations: 1 });
  const instructed: string[] = [];
  for await (const event of run.events()) {
    if (event.type === "human_feedback_requested") instructed.push(event.message);
    if (event.type === "run_waiting") break;
  }
  expect((await run.status()).waits[0]?.prompt).toBe("Teach: x");
  expect(instructed).toEqual(["Say."]);
  const { question, instructions } = DEFAULT_PROMPTS.training;
  expect(question + instructions).not.toMatch(/approve|accept/);
});

it.each([
  ...told.map((key) => ["training", key] as const),
  ...Object.keys(DEFAULT_PROMPTS.testing).map((key) => ["testing", key] as const),
  ...Object.keys(DEFAULT_PROMPTS.chat).map((key) => ["chat", key] as const),
])("%s.%s reaches the model", async (section, key) => {
  expect(await toldWith(section, key)).toContain("MARK ");
});
