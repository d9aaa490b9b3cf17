import { describe, expect, it } from "vitest";
import { hallucinationGuardrail } from "../../../src/agent/description/guardrail.ts";
import type { JsonObject, JsonValue } from "../../../src/base/json.ts";
import { Crew } from "../../../src/crew/crew.ts";
import {
  lastTold,
  runCrewToEnd,
  runCrewToFailure,
  scriptedAgent,
  startCrew,
  taskFor,
} from "../../support/crew-harness.ts";

/** What the agents of two tasks are told. */
async function told(
  inputs: JsonObject,
  options: { readonly allow?: readonly [boolean?, boolean?]; readonly hierarchical?: boolean } = {},
): Promise<readonly string[]> {
  const { agent, model } = scriptedAgent(() => "ok");
  const tasks = ["A", "B"].map((name, index) => {
    const allow = options.allow?.[index];
    return taskFor(options.hierarchical === true ? undefined : agent, {
      name,
      ...(allow === undefined ? undefined : { allowCrewaiTriggerContext: allow }),
    });
  });
  const crew = new Crew(
    options.hierarchical === true
      ? { process: "hierarchical", managerAgent: agent, tasks }
      : { tasks },
  );
  await runCrewToEnd(crew, inputs);
  return [lastTold(model, 0), lastTold(model, 1)];
}

const TRIGGER = "<trigger>";

describe("the trigger's payload", () => {
  const inputs = { crewai_trigger_payload: { mail: "hello" } };

  it("is in the prompt of the first task of a sequential crew", async () => {
    const [first, second] = await told(inputs);
    expect(first).toMatch(
      /^Do the work\n\n[^]*<trigger>\n\{"mail":"hello"\}\n<\/trigger>\n\nExpected/,
    );
    expect(second).not.toContain(TRIGGER);
  });

  it("is in the prompts of tasks with allowCrewaiTriggerContext, and not of a first task without it", async () => {
    const [first, second] = await told(inputs, { allow: [false, true] });
    expect(first).not.toContain(TRIGGER);
    expect(second).toContain(TRIGGER);
  });

  it("is in no prompt of a hierarchical crew by default", async () => {
    expect((await told(inputs, { hierarchical: true })).join("")).not.toContain(TRIGGER);
    expect((await told(inputs, { hierarchical: true, allow: [true] }))[0]).toContain(TRIGGER);
  });

  it.each<JsonValue>([null, "", 0, false, [], {}])(
    "%j adds no text by default",
    async (payload) => {
      expect((await told({ crewai_trigger_payload: payload }))[0]).not.toContain(TRIGGER);
    },
  );

  it("is added unchanged when it is a text, also an empty one for a task that allows it", async () => {
    expect((await told({ crewai_trigger_payload: "a mail" }))[0]).toContain("<trigger>\na mail\n");
    const asked = await told({ crewai_trigger_payload: "" }, { allow: [true] });
    expect(asked[0]).toContain(TRIGGER);
    expect((await told({ other: 1 }, { allow: [true] }))[0]).not.toContain(TRIGGER);
  });

  it("is among the references of a guardrail", async () => {
    const { agent, model } = scriptedAgent(["ok", '{"score": 9, "verdict": "x"}', "ok"]);
    const guardrail = hallucinationGuardrail();
    const crew = new Crew({ tasks: [taskFor(agent, { guardrail, guardrailMaxRetries: 0 })] });
    await startCrew(crew, inputs).settle();
    expect(lastTold(model, 1)).toMatch(/<reference>[^]*\{"mail":"hello"\}[^]*<\/reference>/);
  });
});

describe("the conversation before", () => {
  const messages = [
    { role: "user", content: "Make it {short}" },
    { role: "ASSISTANT", content: "Sure" },
  ];

  it.each<[string, JsonValue]>([
    ["JSON text", JSON.stringify(messages)],
    ["a list", messages],
  ])("is added to every task, from %s", async (_, chat) => {
    for (const text of await told({ crew_chat_messages: chat }))
      expect(text).toContain(
        "before you were given this task:\nUser: Make it {short}\nAssistant: Sure\n",
      );
  });

  it.each<JsonValue>(["not JSON", '{"role":"user"}', [{ role: "user" }], 3])(
    "fails the run when unreadable: %j",
    async (chat) => {
      const { agent } = scriptedAgent([]);
      const crew = new Crew({ tasks: [taskFor(agent)] });
      const { error, kept } = await runCrewToFailure(crew, { crew_chat_messages: chat });
      expect(error).toMatchObject({
        code: "invalid_input",
        message: expect.stringContaining('the input "crew_chat_messages" must be JSON of a list'),
      });
      expect(kept("task_started")).toEqual([]);
    },
  );

  it("of no messages adds no text", async () => {
    expect((await told({ crew_chat_messages: "[]" }))[0]).not.toContain("before you were given");
  });
});
