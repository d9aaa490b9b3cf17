import { expect, it } from "vitest";
import { EngineError } from "../../../src/base/error.ts";
import { Crew } from "../../../src/crew/crew.ts";
import type { PromptOverrides } from "../../../src/agent/prompts/prompts.ts";
import { InMemoryFileStore } from "../../../src/files/in-memory-file-store.ts";
import {
  calling,
  lastTold,
  runCrewToEnd,
  scriptedAgent,
  taskFor,
} from "../../support/crew-harness.ts";

const prompts: PromptOverrides = {
  slices: {
    managerRequest: "ALLES",
    triggerPayload: "AUSLÖSER {payload}",
    inputFiles: "DATEIEN {files}",
    filesInConversation: "HIER {files}",
    fileNotShown: "OHNE {key}",
    conversationHistoryInstruction: "VORHER",
    taskPlan: "PLAN {plan}",
  },
  errors: {
    agentToolUnexistingCoworker: "NIEMAND; {coworkers}",
    agentToolExecutionError: "{agent_role} KANN NICHT: {error}",
  },
  tools: { delegateWork: "GIB {coworkers}", askQuestion: "FRAG {coworkers}" },
};

/** A manager who asks nobody, then a writer who fails; both told in one task. */
async function run(where: { readonly crew?: PromptOverrides; readonly agents?: PromptOverrides }) {
  const own = where.agents === undefined ? undefined : { prompts: where.agents };
  const ask = (coworker: string) =>
    calling("ask_question_to_coworker", { question: "q", context: "", coworker });
  const chief = scriptedAgent([ask("nobody"), ask("Writer"), "done"], { role: "Chief", ...own });
  const writer = scriptedAgent([{ error: new EngineError("model_rejected", "no") }], {
    role: "Writer",
    ...own,
  });
  const planner = scriptedAgent([
    '{"listOfPlansPerTask":[{"taskNumber":1,"task":"t","plan":"first this"}]}',
  ]);
  const crew = new Crew({
    process: "hierarchical",
    managerAgent: chief.agent,
    agents: [writer.agent, scriptedAgent([], { role: "Other" }).agent],
    planning: true,
    planningLlm: planner.model,
    tasks: [
      taskFor(undefined, { allowCrewaiTriggerContext: true, inputFiles: { a: "b", z: "z.zip" } }),
    ],
    ...(where.crew === undefined ? undefined : { prompts: where.crew }),
  });
  const inputs = {
    crewai_trigger_payload: "mail",
    crew_chat_messages: [{ role: "user", content: "hi" }],
  };
  const files = new InMemoryFileStore();
  await files.put("b", "TEXT", "text/plain");
  await files.put("z.zip", new Uint8Array([0x50, 0x4b, 5, 6, 0]), "application/zip");
  await runCrewToEnd(crew, inputs, { files });
  return { chief: chief.model, writer: writer.model };
}

it.each([
  ["crew's", { crew: prompts }],
  ["agents' own", { agents: prompts }],
])(
  "PR1: every text around delegation, plans, files and triggers is one of the %s",
  async (_, where) => {
    const { chief, writer } = await run(where);
    const task = lastTold(chief, 0);
    expect(task).toMatch(
      /PLAN first this\n\nVORHER\nUser: hi\n\nAUSLÖSER mail\n\nHIER - a \(b, text\/plain\)\n\nDATEIEN - z \(z.zip, application\/zip\)/,
    );
    expect(task).toContain('<file name="b">\nTEXT\n</file>\n\nOHNE z');
    expect(chief.calls[0]?.request.tools?.map(({ description }) => description).slice(1)).toEqual([
      "GIB Writer, Other",
      "FRAG Writer, Other",
    ]);
    expect(lastTold(chief, 1)).toBe("NIEMAND; Writer, Other");
    expect(lastTold(chief, 2)).toBe("Writer KANN NICHT: no");
    expect(lastTold(writer, 0)).toContain("ALLES");
  },
);
