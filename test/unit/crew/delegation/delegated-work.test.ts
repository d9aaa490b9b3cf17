// What holds for all work of a crew holds for the work of coworkers: hooks, failure policies, declared variables.
import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { AgentOptions } from "../../../../src/agent/description/agent.ts";
import type { JsonObject } from "../../../../src/base/json.ts";
import { Crew } from "../../../../src/crew/crew.ts";
import type { CrewOptions } from "../../../../src/crew/crew-options.ts";
import type { TaskOutput } from "../../../../src/crew/tasks/task-output.ts";
import type { TaskOptions } from "../../../../src/crew/tasks/task.ts";
import { HookAborted, on } from "../../../../src/hooks/hook.ts";
import { scriptedModel, type ScriptedReply } from "../../../../src/llm/scripted/scripted-model.ts";
import { toolFailure, type ToolFailurePolicy } from "../../../../src/tools/tool-failure.ts";
import { tool } from "../../../../src/tools/tool.ts";
import {
  acting,
  calling,
  lastTold,
  runCrewToEnd,
  runCrewToFailure,
  scriptedAgent,
  startCrew,
  taskFor,
  TEXT_ONLY,
  toldTo,
  type Output,
} from "../../../support/crew-harness.ts";

const DELEGATE = "delegate_work_to_coworker";
const toThe = (coworker: string): JsonObject => ({ task: "dig", context: "", coworker });
const outputOf = (result: Output): TaskOutput => result.tasks[0] as unknown as TaskOutput;

const dig = tool({
  name: "dig",
  description: "Digs.",
  input: z.object({}),
  run: () => toolFailure({ message: "hard ground", code: "E1" }),
});

type Cast = {
  readonly manager?: readonly ScriptedReply[];
  readonly digger?: readonly ScriptedReply[];
  readonly agent?: Partial<AgentOptions>;
  readonly task?: Partial<TaskOptions>;
  readonly crew?: Partial<CrewOptions>;
};

/** A manager and a digger, who has a tool that fails. */
function managed(cast: Cast = {}) {
  const manager = scriptedModel(cast.manager ?? [calling(DELEGATE, toThe("Digger")), "done"]);
  const digger = scriptedAgent(cast.digger ?? [calling("dig"), "a hole"], {
    role: "Digger",
    tools: [dig],
    ...cast.agent,
  });
  const crew = new Crew({
    process: "hierarchical",
    managerLlm: manager,
    agents: [digger.agent],
    tasks: [taskFor(undefined, { name: "work", ...cast.task })],
    ...cast.crew,
  });
  return { crew, manager, digger };
}

describe("hooks in delegated work", () => {
  it("run around the coworker's calls, the crew's and its own, with the calling agent", async () => {
    const seen: unknown[] = [];
    const { crew, digger } = managed({
      crew: {
        hooks: [
          on("pre_model_call", ({ agentRole, taskName, path }) => {
            seen.push([agentRole, taskName, path]);
          }),
          on(
            "pre_model_call",
            (context) => {
              context.messages.push({ role: "user", content: "mind the pipes" });
            },
            { agents: ["Digger"] },
          ),
        ],
      },
      agent: { hooks: [on("pre_tool_call", () => false, { tools: ["dig"] })] },
    });
    const { result } = await runCrewToEnd(crew);
    const inside = `task:work/turn:1/tool:${DELEGATE}#0/agent:Digger`;
    expect(seen).toEqual([
      ["Crew Manager", "work", "task:work/turn:1"],
      ["Digger", "work", `${inside}/turn:1`],
      ["Digger", "work", `${inside}/turn:2`],
      ["Crew Manager", "work", "task:work/turn:2"],
    ]);
    expect(lastTold(digger.model, 0)).toBe("mind the pipes");
    expect(toldTo(digger.model, 1).at(-2)?.content).toContain("a hook refused");
    expect(outputOf(result).toolFailures).toBeUndefined();
  });

  it("end the task with an abort, without another question to the manager", async () => {
    const { crew, manager } = managed({
      crew: {
        hooks: [
          on(
            "pre_model_call",
            () => {
              throw new HookAborted("no digging", "law");
            },
            { agents: ["Digger"] },
          ),
        ],
      },
    });
    const { error } = await runCrewToFailure(crew);
    expect(error).toMatchObject({
      code: "hook_aborted",
      message: 'task "work" (agent "Crew Manager"): law: no digging',
    });
    expect(manager.calls).toHaveLength(1);
  });
});

describe("tool failures in delegated work", () => {
  it("are in the task's output, separate for each coworker", async () => {
    const other = scriptedAgent([calling("dig"), "nothing"], { role: "Helper", tools: [dig] });
    const digger = scriptedAgent([calling("dig"), "a hole"], { role: "Digger", tools: [dig] });
    const { crew } = managed({
      manager: [
        calling(DELEGATE, toThe("Digger")),
        calling(DELEGATE, toThe("Helper")),
        calling("x"),
        "done",
      ],
      crew: { agents: [digger.agent, other.agent] },
    });
    const { result, kept } = await runCrewToEnd(crew);
    expect(outputOf(result).toolFailures).toMatchObject([
      { toolName: "dig", agentRole: "Digger", taskName: "work", failure: { code: "E1" } },
      { toolName: "dig", agentRole: "Helper", taskName: "work" },
      { toolName: "x", agentRole: "Crew Manager" },
    ]);
    expect(kept("tool_failure_detected")).toHaveLength(3);
  });

  it.each<[string, Cast]>([
    ["the task's", { task: { toolFailurePolicy: "raise" }, agent: { toolFailurePolicy: "warn" } }],
    ["the coworker's", { agent: { toolFailurePolicy: "raise" } }],
    ["the crew's", { crew: { toolFailurePolicy: "raise" } }],
  ])("end the task when %s policy is to raise them", async (_, cast) => {
    const { crew, manager, digger } = managed(cast);
    const { error, kept } = await runCrewToFailure(crew);
    expect(error.code).toBe("tool_failure_raised");
    expect(error.message).toContain("hard ground");
    expect(manager.calls).toHaveLength(1);
    expect(digger.model.calls).toHaveLength(1);
    expect(kept("task_failed")).toHaveLength(1);
  });

  it.each<ToolFailurePolicy>(["warn", "ignore"])(
    "leave the task alone when its policy is to %s, for any policy of the coworker",
    async (toolFailurePolicy) => {
      const { crew } = managed({
        task: { toolFailurePolicy },
        agent: { toolFailurePolicy: "raise" },
      });
      const { result } = await runCrewToEnd(crew);
      expect(result.raw).toBe("done");
      expect(outputOf(result).toolFailures?.length).toBe(
        toolFailurePolicy === "warn" ? 1 : undefined,
      );
    },
  );

  it("end the task also from two levels down", async () => {
    const digger = scriptedAgent([calling("dig"), "a hole"], {
      role: "Digger",
      tools: [dig],
      toolFailurePolicy: "raise",
    });
    const helper = scriptedAgent([calling(DELEGATE, toThe("Digger")), "well"], {
      role: "Helper",
      allowDelegation: true,
    });
    const { crew, manager } = managed({
      manager: [calling(DELEGATE, toThe("Helper")), "done"],
      crew: { agents: [digger.agent, helper.agent] },
    });
    const { error } = await runCrewToFailure(crew);
    expect(error.code).toBe("tool_failure_raised");
    expect(manager.calls).toHaveLength(1);
    expect(helper.model.calls).toHaveLength(1);
  });
});

describe("a task done by a manager", () => {
  it("is checked by guardrails and a person, with the manager in the conversation", async () => {
    const judged: string[] = [];
    const { crew, manager, digger } = managed({
      manager: [
        calling(DELEGATE, toThe("Digger")),
        "a hole",
        "a deep hole",
        "a deep round hole",
        "a deep square hole",
      ],
      digger: ["dug"],
      task: {
        humanInput: true,
        guardrail: ({ raw, delegations }) => {
          judged.push(`${raw} (${delegations})`);
          return raw.includes("round") ? { ok: false, error: "not round" } : { ok: true };
        },
      },
    });
    const run = startCrew(crew);
    const answer = async (key: string, said: JsonObject): Promise<void> => {
      expect((await run.settle()).waits).toMatchObject([{ key }]);
      await run.handle.resume(said);
    };
    await answer("task:work/human:1", { feedback: "deeper" });
    await answer("task:work/human:2", { feedback: "and round" });
    await answer("task:work/human:3", { approve: true });
    await answer("task:work/guardrail-retry:1/human:1", { approve: true, feedback: "fine" });
    const output = outputOf(await run.output());
    expect(output).toMatchObject({
      raw: "a deep square hole",
      agent: "Crew Manager",
      humanFeedback: "fine",
      processedByAgents: ["Crew Manager", "Digger"],
      delegations: 1,
      usedTools: 1,
      usage: { requests: 6 },
    });
    expect(judged).toEqual(["a deep round hole (1)", "a deep square hole (1)"]);
    expect(lastTold(manager, 4)).toContain("not round");
    expect(digger.model.calls).toHaveLength(1);
  });

  it("needs the variables declared by its own tools and those of coworkers", async () => {
    const envVars = [{ name: "DIG_KEY_OF_TEST", description: "a key" }];
    const keyed = tool({
      name: "keyed",
      description: "K.",
      input: z.object({}),
      envVars,
      run: () => "",
    });
    for (const cast of [{ agent: { tools: [keyed] } }, { task: { tools: [keyed] } }]) {
      const { crew, manager } = managed(cast);
      const { error } = await runCrewToFailure(crew);
      expect(error.message).toContain('tool "keyed" needs variables');
      expect(manager.calls).toEqual([]);
    }
  });

  it("passes the fingerprints of the coworker and of the task to the coworker's tools", async () => {
    const heard: unknown[] = [];
    const looking = tool({
      name: "dig",
      description: "Digs.",
      input: z.object({}),
      run: (_, { security }) => {
        heard.push(security?.agentFingerprint.uuid, security?.taskFingerprint?.uuid);
      },
    });
    const { crew, digger } = managed({ agent: { tools: [looking] } });
    await runCrewToEnd(crew);
    expect(heard).toEqual([digger.agent.fingerprint.uuid, crew.tasks[0]?.fingerprint.uuid]);
  });

  it("hands work on in the text form under any name of an argument", async () => {
    const { crew, digger } = managed({
      crew: {
        managerLlm: scriptedModel(
          [
            acting("Delegate work to coworker", { Task: "dig deep", "co-worker": "digger" }),
            "Final Answer: done",
          ],
          TEXT_ONLY,
        ),
      },
    });
    await runCrewToEnd(crew);
    expect(lastTold(digger.model, 0)).toContain("dig deep");
  });
});
