// A run whose process is gone after any of its writes goes on in another one, and ends as if nothing had happened.
import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { JsonObject } from "../../../src/base/json.ts";
import { ConditionalTask } from "../../../src/crew/tasks/conditional-task.ts";
import { Crew } from "../../../src/crew/crew.ts";
import { InMemoryFileStore } from "../../../src/files/in-memory-file-store.ts";
import { afterToolCall } from "../../../src/hooks/hook.ts";
import type { ScriptedReply } from "../../../src/llm/scripted/scripted-model.ts";
import { toolFailure } from "../../../src/tools/tool-failure.ts";
import { tool } from "../../../src/tools/tool.ts";
import { calling, keysOf, scriptedAgent, taskFor } from "../../support/crew-harness.ts";
import { cutAfterEveryWrite, type Subject } from "../../support/cut-off.ts";

const DELEGATE = "delegate_work_to_coworker";
const delegate = (coworker: string): { name: string; arguments: JsonObject } => ({
  name: DELEGATE,
  arguments: { task: `work for ${coworker}`, context: "", coworker },
});

/** Replies by how far the conversation has come, so that one that is taken up again gets the same. */
const byTurn = (...replies: readonly ScriptedReply[]) =>
  (({ messages }) =>
    replies[messages.filter(({ role }) => role === "assistant").length] ?? "done") as Parameters<
    typeof scriptedAgent
  >[0];

describe("DE3: a crew cut off", () => {
  it("in the middle of delegations, nested and parallel, makes every call once and counts the same", async () => {
    const { whole, cut } = await cutAfterEveryWrite((): Subject => {
      const look = tool({
        name: "look",
        description: "L.",
        input: z.object({}),
        run: () => toolFailure({ message: "too dark" }),
      });
      const chief = scriptedAgent(
        byTurn(
          { toolCalls: [delegate("Writer"), delegate("Digger"), delegate("writer")] },
          { toolCalls: [delegate("nobody")] },
        ),
        { role: "Chief" },
      );
      const writer = scriptedAgent(byTurn({ toolCalls: [delegate("Digger")] }), {
        role: "Writer",
        allowDelegation: true,
      });
      const digger = scriptedAgent(byTurn(calling("look")), { role: "Digger", tools: [look] });
      return {
        program: new Crew({
          process: "hierarchical",
          managerAgent: chief.agent,
          agents: [writer.agent, digger.agent],
          tasks: [taskFor(undefined, { name: "work" })],
          hooks: [afterToolCall(() => "it is dark", { tools: ["look"] })],
        }).program(),
        get calls() {
          return [chief, writer, digger].flatMap(({ model }) => keysOf(model));
        },
      };
    });
    expect(whole.run.status).toBe("completed");
    const failed = { toolName: "look", agentRole: "Digger" };
    expect(whole.run.output).toMatchObject({ tasks: [{ toolFailures: [failed, failed, failed] }] });
    expect(cut.length).toBeGreaterThan(20);
    for (const [index, each] of cut.entries())
      expect(each.course, `cut off after write ${index + 1}`).toEqual(whole.course);
  }, 60_000);

  it("with planning, conditions, files and a log, plans once and writes the same", async () => {
    const stores: InMemoryFileStore[] = [];
    const { whole, cut } = await cutAfterEveryWrite((): Subject => {
      const files = new InMemoryFileStore();
      stores.push(files);
      void files.put("in.txt", "hello", "text/plain");
      const plans = { listOfPlansPerTask: [{ taskNumber: 1, task: "A", plan: "read" }] };
      const planner = scriptedAgent(() => JSON.stringify(plans));
      const { agent, model } = scriptedAgent(byTurn(calling("read_file", { name: "in" })));
      const task = (name: string) => ({ name, description: name, expectedOutput: "x", agent });
      return {
        program: new Crew({
          planning: true,
          planningLlm: planner.model,
          inputFiles: { in: "in.txt" },
          outputLogFile: "log.json",
          tasks: [
            taskFor(agent, { name: "A", outputFile: "{dir}/a.txt" }),
            new ConditionalTask({ ...task("B"), condition: () => false }),
            new ConditionalTask({ ...task("C"), condition: () => true }),
          ],
        }).program(),
        inputs: { dir: "out", crewai_trigger_payload: "mail" },
        services: { files },
        get calls() {
          return [...keysOf(planner.model), ...keysOf(model)];
        },
      };
    });
    expect(whole.run.status).toBe("completed");
    expect(cut.length).toBeGreaterThan(20);
    for (const [index, each] of cut.entries()) {
      expect(each.course, `cut off after write ${index + 1}`).toEqual(whole.course);
      expect(written(stores[index + 1]!)).toEqual(written(stores[0]!));
    }
  }, 60_000);
});

/** What is in the files that a run wrote, but for the times in its log. */
function written(files: InMemoryFileStore): object {
  return {
    paths: files.paths.toSorted(),
    text: files.text("out/a.txt"),
    log: files.text("log.json")?.replace(/"timestamp": ".*"/g, ""),
  };
}
