// The patterns of AG2's cookbook, as somebody writes them who knows them from there.
import { describe, expect, it } from "vitest";
import * as z from "zod";
import {
  AgentNameTarget,
  AgentTarget,
  agentTarget,
  AutoPattern,
  ContextVariables,
  contextVariables,
  ConversableAgent,
  DefaultPattern,
  initiateGroupChat,
  NestedChatTarget,
  OnCondition,
  OnContextCondition,
  ReplyResult,
  RevertToUserTarget,
  StayTarget,
  TerminateTarget,
  UpdateSystemMessage,
  UserProxyAgent,
  type GroupChatResult,
} from "../../../../src/conversation/index.ts";
import { tool, type Tool } from "../../../../src/index.ts";
import { scriptedModel, toolCall, type ScriptedReply } from "../../../../src/testing/index.ts";
import { textOf, toldInGroup } from "../../../support/conversations.ts";

type Replies = readonly ScriptedReply[];

const EXECUTOR = "_Group_Tool_Executor";

/** Who spoke, without the executor of tools. */
const speakers = ({ messages }: GroupChatResult): readonly unknown[] =>
  messages.flatMap(({ name }) => (name === EXECUTOR ? [] : [name]));

/** A model that says these things, one after another, whatever it is asked. */
const saying = (...replies: Replies): ReturnType<typeof scriptedModel> =>
  scriptedModel((_, index) => replies[index] ?? "nothing more to say");

const agent = (name: string, replies: Replies, tools: readonly Tool[] = []): ConversableAgent =>
  new ConversableAgent({ name, systemMessage: `You are ${name}.`, llm: saying(...replies), tools });

/** A person who says these things and then leaves. */
function person(name: string, ...words: readonly string[]): UserProxyAgent {
  const left = [...words];
  return new UserProxyAgent({ name, getHumanInput: () => left.shift() ?? "exit" });
}

describe("escalation", () => {
  const answer = z.object({
    answer: z.string(),
    confidence: z.int().min(1).max(10),
    escalationReason: z.string().optional(),
  });
  const LEVELS = ["basic", "intermediate", "advanced"] as const;

  function answerTool(level: (typeof LEVELS)[number]): Tool {
    return tool({
      name: `answer_question_${level}`,
      description: "Call this with your answer.",
      input: z.object({ response: answer }),
      inject: { variables: contextVariables() },
      run: ({ response }, { variables }) => {
        variables.set(`${level}_agent_confidence`, response.confidence);
        if (response.confidence >= 8)
          return new ReplyResult({
            target: AgentNameTarget("triage_agent"),
            message: `Answered: ${response.answer}`,
            contextVariables: variables,
          });
        variables.set("escalation_count", Number(variables.get("escalation_count")) + 1);
        const next = LEVELS[LEVELS.indexOf(level) + 1];
        return new ReplyResult({
          target: AgentNameTarget(next === undefined ? "triage_agent" : `${next}_agent`),
          message: `Escalated: ${response.escalationReason ?? "no reason"}`,
          contextVariables: variables,
        });
      },
    });
  }

  const answering = (level: string, confidence: number): Replies[number] =>
    toolCall(`answer_question_${level}`, { response: { answer: "42", confidence } });

  it("goes up by confidence, back to triage, and to the user", async () => {
    const asked = tool({
      name: "new_question_asked",
      description: "Starts anew.",
      input: z.object({ question: z.string() }),
      inject: { variables: contextVariables() },
      run: ({ question }, { variables }) => {
        variables.update({ current_question: question, escalation_count: 0 });
        return new ReplyResult({
          target: AgentNameTarget("basic_agent"),
          contextVariables: variables,
          message: `New question: ${question}`,
        });
      },
    });
    const triage = agent(
      "triage_agent",
      [toolCall("new_question_asked", { question: "Why?" }), "Because of 42."],
      [asked],
    );
    const basic = agent("basic_agent", [answering("basic", 3)], [answerTool("basic")]);
    const intermediate = agent(
      "intermediate_agent",
      [answering("intermediate", 5)],
      [answerTool("intermediate")],
    );
    const advanced = agent("advanced_agent", [answering("advanced", 9)], [answerTool("advanced")]);
    triage.handoffs.setAfterWork(RevertToUserTarget());
    basic.handoffs
      .add(
        OnContextCondition({
          target: AgentTarget(intermediate),
          condition: "${basic_agent_confidence} > 0 and ${basic_agent_confidence} < 8",
        }),
      )
      .setAfterWork(StayTarget());
    intermediate.handoffs.add(
      OnContextCondition({
        target: AgentTarget(advanced),
        condition: "${intermediate_agent_confidence} > 0 and ${intermediate_agent_confidence} < 8",
      }),
    );
    advanced.handoffs.setAfterWork(RevertToUserTarget());
    const result = await initiateGroupChat({
      pattern: new DefaultPattern({
        agents: [basic, intermediate, advanced, triage],
        initialAgent: triage,
        contextVariables: new ContextVariables({
          basic_agent_confidence: 0,
          intermediate_agent_confidence: 0,
          advanced_agent_confidence: 0,
          escalation_count: 0,
        }),
        groupAfterWork: TerminateTarget(),
        userAgent: person("user_proxy"),
      }),
      messages: "Why?",
      maxRounds: 20,
    });
    expect(speakers(result)).toEqual([
      "user_proxy",
      "triage_agent",
      "basic_agent",
      "intermediate_agent",
      "advanced_agent",
      "triage_agent",
    ]);
    expect(result.contextVariables).toMatchObject({
      escalation_count: 2,
      advanced_agent_confidence: 9,
    });
    expect(result.summary).toBe("Because of 42.");
    expect(result.reason).toBe("the person ended the chat");
  });
});

describe("feedback loop", () => {
  it("reviews and revises until the review passes or the iterations are used up", async () => {
    const stage = (
      name: string,
      run: (variables: ContextVariables, text: string) => string,
    ): Tool =>
      tool({
        name,
        description: `Does ${name}.`,
        input: z.object({ text: z.string() }),
        inject: { contextVariables: contextVariables() },
        run: ({ text }, { contextVariables: shared }) => {
          const message = run(shared, text);
          return new ReplyResult({ message, contextVariables: shared });
        },
      });
    const draft = stage("submit_draft", (shared, text) => {
      shared.update({ stage: "review", draft: { title: "Tides", content: text } });
      return "Drafted.";
    });
    const feedback = stage("submit_feedback", (shared, text) => {
      shared.update({ stage: "revision", iteration_needed: text !== "good" });
      return "Reviewed.";
    });
    const revised = stage("submit_revision", (shared, text) => {
      const iteration = shared.require("iteration") as number;
      const isMore =
        shared.get("iteration_needed") === true && iteration < Number(shared.get("max_iterations"));
      shared.update(
        isMore
          ? {
              iteration: iteration + 1,
              stage: "review",
              draft: { ...(shared.get("draft") as object), content: text },
            }
          : { stage: "final" },
      );
      return isMore ? `Iteration ${iteration + 1}.` : "Done revising.";
    });
    const start = agent("drafting_agent", [toolCall("submit_draft", { text: "one" })], [draft]);
    const review = agent(
      "review_agent",
      [
        toolCall("submit_feedback", { text: "weak" }),
        toolCall("submit_feedback", { text: "weak" }),
      ],
      [feedback],
    );
    const revision = agent(
      "revision_agent",
      [
        toolCall("submit_revision", { text: "two" }),
        toolCall("submit_revision", { text: "three" }),
      ],
      [revised],
    );
    const final = agent("finalization_agent", ["Here it is."]);
    const at = (name: string): string => "${stage} == '" + name + "'";
    start.handoffs
      .add(OnContextCondition({ target: AgentTarget(review), condition: at("review") }))
      .setAfterWork(RevertToUserTarget());
    review.handoffs
      .add(OnContextCondition({ target: AgentTarget(revision), condition: at("revision") }))
      .setAfterWork(RevertToUserTarget());
    revision.handoffs
      .add(
        OnContextCondition({ target: AgentTarget(final), condition: at("final") }),
        OnContextCondition({ target: AgentTarget(review), condition: at("review") }),
      )
      .setAfterWork(RevertToUserTarget());
    final.handoffs.setAfterWork(TerminateTarget());
    const result = await initiateGroupChat({
      pattern: new DefaultPattern({
        agents: [start, review, revision, final],
        initialAgent: start,
        userAgent: person("user"),
        contextVariables: {
          stage: "drafting",
          iteration: 1,
          max_iterations: 2,
          iteration_needed: true,
        },
      }),
      messages: "Write about tides.",
      maxRounds: 50,
    });
    expect(result.summary).toBe("Here it is.");
    expect(result.contextVariables).toMatchObject({
      stage: "final",
      iteration: 2,
      draft: { title: "Tides", content: "two" },
    });
    expect(
      speakers(result).filter((name) => name === "review_agent").length,
    ).toBeGreaterThanOrEqual(2);
    expect(result.reason).toBe("a hand-over ended the conversation");
  });

  it("a list is read, and set again: it cannot be changed in place", async () => {
    const append = tool({
      name: "append",
      description: "Adds to the history.",
      input: z.object({}),
      inject: { variables: contextVariables() },
      run: (_, { variables }) => {
        (variables.get("history") as string[]).push("x");
        return "appended";
      },
    });
    const clerk = agent("clerk", [toolCall("append", {}), "done"], [append]);
    const result = await initiateGroupChat({
      pattern: new DefaultPattern({
        agents: [clerk],
        initialAgent: clerk,
        contextVariables: { history: [] },
      }),
      messages: "Begin",
    });
    const failed = result.messages.find(({ role }) => role === "tool")?.toolResponses?.[0]?.content;
    expect(failed).toMatch(/not extensible/);
    expect(result.contextVariables).toEqual({ history: [] });
  });
});

describe("pipeline", () => {
  const shared = { pipeline_started: false, validation_completed: false, has_error: false };

  function orders(order: string, isInStock: boolean) {
    const start = tool({
      name: "start_order",
      description: "Starts.",
      input: z.object({ order_json: z.string() }),
      inject: { variables: contextVariables() },
      run: ({ order_json: json }, { variables }) => {
        variables.set("pipeline_started", true);
        try {
          const details = JSON.parse(json) as { readonly id: number };
          variables.set("order_details", details);
          return new ReplyResult({
            message: `Order ${details.id}`,
            contextVariables: variables,
            target: AgentNameTarget("validation_agent"),
          });
        } catch {
          variables.update({ has_error: true, error_stage: "entry" });
          return new ReplyResult({
            message: "No JSON.",
            contextVariables: variables,
            target: RevertToUserTarget(),
          });
        }
      },
    });
    const check = tool({
      name: "check",
      description: "Checks.",
      input: z.object({}),
      run: () => "fine",
    });
    const complete = (name: string, next: string | undefined, flag: string): Tool =>
      tool({
        name,
        description: "Completes.",
        input: z.object({ ok: z.boolean(), details: z.record(z.string(), z.unknown()).optional() }),
        inject: { variables: contextVariables() },
        run: ({ ok, details = {} }, { variables }) => {
          variables.update({ [flag]: true, [`${flag}_details`]: details });
          if (!ok) variables.update({ has_error: true, error_stage: name });
          return new ReplyResult({
            message: ok ? "next" : "failed",
            contextVariables: variables,
            target: ok && next !== undefined ? AgentNameTarget(next) : RevertToUserTarget(),
          });
        },
      });
    const entry = agent("entry_agent", [toolCall("start_order", { order_json: order })], [start]);
    const validation = agent(
      "validation_agent",
      [
        toolCall("check", {}),
        toolCall("complete_validation", { ok: true, details: { by: "rule 1" } }),
      ],
      [check, complete("complete_validation", "inventory_agent", "validation_completed")],
    );
    const inventory = agent(
      "inventory_agent",
      [toolCall("check", {}), toolCall("complete_inventory", { ok: isInStock })],
      [check, complete("complete_inventory", undefined, "inventory_completed")],
    );
    entry.handoffs.add(
      OnContextCondition({
        target: AgentTarget(validation),
        condition: "${pipeline_started} == True and ${validation_completed} == False",
      }),
    );
    for (const each of [entry, validation, inventory])
      each.handoffs.setAfterWork(RevertToUserTarget());
    return initiateGroupChat({
      pattern: new DefaultPattern({
        agents: [entry, validation, inventory],
        initialAgent: entry,
        contextVariables: shared,
        userAgent: person("user"),
      }),
      messages: order,
      maxRounds: 30,
    });
  }

  it("passes an order on from stage to stage", async () => {
    const result = await orders('{"id":7}', true);
    expect(speakers(result)).toEqual([
      "user",
      "entry_agent",
      "validation_agent",
      "validation_agent",
      "inventory_agent",
      "inventory_agent",
    ]);
    expect(result.contextVariables).toMatchObject({
      order_details: { id: 7 },
      validation_completed_details: { by: "rule 1" },
      has_error: false,
    });
  });

  it("returns to the user when a stage fails", async () => {
    const result = await orders("no json", true);
    expect(speakers(result)).toEqual(["user", "entry_agent"]);
    expect(result.contextVariables).toMatchObject({ has_error: true, error_stage: "entry" });
    const short = await orders('{"id":7}', false);
    expect(short.contextVariables).toMatchObject({ error_stage: "complete_inventory" });
  });
});

describe("star", () => {
  it("a coordinator sends to specialists by variables and by its model, and joins their results", async () => {
    const analyze = tool({
      name: "analyze_query",
      description: "Says what is needed.",
      input: z.object({ city: z.string(), weather: z.boolean(), food: z.boolean() }),
      inject: { variables: contextVariables() },
      run: ({ city, weather, food }, { variables }) => {
        variables.update({
          city,
          weather_needed: weather,
          food_needed: food,
          query_analyzed: true,
        });
        return new ReplyResult({ message: `About ${city}.`, contextVariables: variables });
      },
    });
    const coordinator = agent(
      "coordinator",
      [
        toolCall("analyze_query", { city: "Rome", weather: true, food: true }),
        toolCall("transfer_to_food_1", {}),
        "Sun and pasta.",
      ],
      [analyze],
    );
    const provide = (kind: string): Tool =>
      tool({
        name: `provide_${kind}`,
        description: "Provides.",
        input: z.object({ content: z.string() }),
        inject: { variables: contextVariables() },
        run: ({ content }, { variables }) => {
          variables.update({ [`${kind}_info`]: content, [`${kind}_completed`]: true });
          return new ReplyResult({
            message: "Stored.",
            contextVariables: variables,
            target: AgentTarget(coordinator),
          });
        },
      });
    const weather = agent(
      "weather",
      [toolCall("provide_weather", { content: "sun" })],
      [provide("weather")],
    );
    const food = agent("food", [toolCall("provide_food", { content: "pasta" })], [provide("food")]);
    coordinator.handoffs.add(
      OnContextCondition({
        target: AgentTarget(weather),
        condition: "${weather_needed} == True and ${weather_completed} == False",
        available: "query_analyzed",
      }),
      OnCondition({
        target: AgentTarget(food),
        condition: "About restaurants in {city}.",
        available:
          "${query_analyzed} == True and ${food_needed} == True and ${food_completed} == False",
      }),
    );
    coordinator.handoffs.setAfterWork(RevertToUserTarget());
    for (const each of [weather, food]) each.handoffs.setAfterWork(AgentTarget(coordinator));
    const result = await initiateGroupChat({
      pattern: new DefaultPattern({
        initialAgent: coordinator,
        agents: [coordinator, weather, food],
        contextVariables: {
          query_analyzed: false,
          weather_needed: false,
          weather_completed: false,
          food_needed: false,
          food_completed: false,
          city: "",
        },
        userAgent: person("user"),
      }),
      messages: "Rome?",
      maxRounds: 100,
    });
    expect(result.summary).toBe("Sun and pasta.");
    expect(result.contextVariables).toMatchObject({ weather_info: "sun", food_info: "pasta" });
    expect(speakers(result)).toEqual([
      "user",
      "coordinator",
      "coordinator", // its notice that it hands over
      "weather",
      "coordinator",
      "food",
      "coordinator",
    ]);
  });
});

describe("redundant", () => {
  it("asks several agents separately, each with the task alone, and lets one evaluate", async () => {
    const start = tool({
      name: "initiate_task",
      description: "Starts.",
      input: z.object({ task: z.string() }),
      inject: { variables: contextVariables() },
      run: ({ task }, { variables }) => {
        variables.update({ task_initiated: true, current_task: task });
        return new ReplyResult({ message: "Started.", contextVariables: variables });
      },
    });
    const taskmaster = agent(
      "taskmaster",
      [toolCall("initiate_task", { task: "Name it." })],
      [start],
    );
    const models = ["a", "b", "c"].map((name) => scriptedModel(() => `${name}'s idea`));
    const experts = models.map(
      (llm, index) =>
        new ConversableAgent({ name: `agent_${"abc"[index]}`, systemMessage: "Create.", llm }),
    );
    const evaluator = agent("evaluator", ["b's idea is the best."]);
    taskmaster.handoffs.add(
      OnContextCondition({
        target: NestedChatTarget(
          experts.map((recipient) => ({
            recipient,
            message: ({ contextVariables: shared }) => textOf(shared.get("current_task")),
            maxTurns: 1,
            summaryMethod: ({ messages, contextVariables: shared }) =>
              `${textOf(shared.get("current_task"))} ${textOf(messages.at(-1)?.content)}`,
            finishedChatIndexesToExcludeFromCarryover: [0, 1],
          })),
        ),
        condition: "not ${task_completed}",
        available: "task_initiated",
      }),
    );
    taskmaster.handoffs.setAfterWork(AgentTarget(evaluator));
    evaluator.handoffs.setAfterWork(RevertToUserTarget());
    const result = await initiateGroupChat({
      pattern: new DefaultPattern({
        initialAgent: taskmaster,
        agents: [taskmaster, evaluator],
        contextVariables: { task_initiated: false, task_completed: false },
        userAgent: person("user"),
      }),
      messages: "I need a name.",
      maxRounds: 12,
    });
    for (const model of models)
      expect(model.calls[0]?.request.messages.slice(1)).toEqual([
        { role: "user", content: "Name it." },
      ]);
    expect(result.messages.map(({ content }) => content)).toContain("Name it. c's idea");
  });
});

describe("triage with tasks", () => {
  it("a list of tasks as structured output, then each task with a system text of its own", async () => {
    const tasks = z.object({ tasks: z.array(z.object({ topic: z.string() })) });
    const triage = new ConversableAgent({
      name: "triage_agent",
      systemMessage: "Break it down.",
      llm: saying(JSON.stringify({ tasks: [{ topic: "sun" }, { topic: "wind" }] })),
      responseFormat: tasks,
    });
    const initiate = tool({
      name: "initiate_tasks",
      description: "Starts the tasks.",
      input: tasks,
      inject: { variables: contextVariables() },
      run: ({ tasks: list }, { variables }) => {
        variables.update({ tasks: list, index: 0, done: [] });
        return new ReplyResult({
          message: "Started.",
          contextVariables: variables,
          target: AgentNameTarget("TaskManager"),
        });
      },
    });
    const manager = agent(
      "TaskManager",
      [toolCall("initiate_tasks", { tasks: [{ topic: "sun" }, { topic: "wind" }] })],
      [initiate],
    );
    const complete = tool({
      name: "complete_task",
      description: "Completes a task.",
      input: z.object({ index: z.int(), output: z.string() }),
      inject: { variables: contextVariables() },
      run: ({ index, output }, { variables }) => {
        const current = variables.require("index");
        if (index !== current)
          return new ReplyResult({
            message: `Task ${textOf(current)} is due.`,
            target: AgentNameTarget("TaskManager"),
          });
        const done = [...(variables.get("done") as readonly unknown[]), output];
        const isLast = done.length === (variables.get("tasks") as readonly unknown[]).length;
        variables.update({ done, index: isLast ? -1 : index + 1 });
        return new ReplyResult({ message: "Completed.", contextVariables: variables });
      },
    });
    const systems: string[] = [];
    const researcher = new ConversableAgent({
      name: "ResearchAgent",
      llm: scriptedModel(({ messages }) => {
        const system = messages[0]?.content ?? "";
        systems.push(system);
        const index = Number(/Task (\d)/.exec(system)?.[1]);
        return toolCall("complete_task", {
          index,
          output: `found ${/: *(\w+)/.exec(system)?.[1]}`,
        });
      }),
      tools: [complete],
    });
    new UpdateSystemMessage((_, __, variables) => {
      const index = variables.get("index", -1) as number;
      const list = variables.get("tasks", []) as ReadonlyArray<{ topic: string }>;
      return `Task ${index}: ${list[index]?.topic ?? "none"}`;
    }).addToAgent(researcher);
    const summary = agent("SummaryAgent", ["Two things were found."]);
    triage.handoffs.setAfterWork(AgentTarget(manager));
    manager.handoffs
      .add(
        OnContextCondition({ target: AgentTarget(researcher), condition: "${index} >= 0" }),
        OnContextCondition({ target: AgentTarget(summary), condition: "len(${done}) > 0" }),
      )
      .setAfterWork(StayTarget());
    researcher.handoffs.add(
      OnContextCondition({ target: AgentTarget(manager), condition: "${index} == -1" }),
    );
    researcher.handoffs.setAfterWork(AgentTarget(manager));
    summary.handoffs.setAfterWork(TerminateTarget());
    const result = await initiateGroupChat({
      pattern: new DefaultPattern({
        initialAgent: triage,
        agents: [triage, manager, researcher, summary],
        contextVariables: { index: -2, tasks: [], done: [] },
        groupAfterWork: TerminateTarget(),
      }),
      messages: "Solar and wind, please.",
      maxRounds: 100,
    });
    expect(JSON.parse(textOf(result.messages[1]?.content))).toEqual({
      tasks: [{ topic: "sun" }, { topic: "wind" }],
    });
    expect(systems).toEqual(
      ["Task 0: sun", "Task 1: wind"].map((text) => toldInGroup("ResearchAgent", text)),
    );
    expect(result.contextVariables).toMatchObject({
      index: -1,
      done: ["found sun", "found wind"],
    });
    expect(result.summary).toBe("Two things were found.");
    expect(result.lastSpeaker).toBe("SummaryAgent");
  });
});

describe("organic", () => {
  it("a model chooses by descriptions; hand-overs take precedence, and the user is among the choices", async () => {
    const chooser = scriptedModel(
      (_, index) => ["developer", "user_proxy", "qa_engineer"][index] ?? "user_proxy",
    );
    const manager = agent("project_manager", ["A plan."]);
    const developer = new ConversableAgent({
      name: "developer",
      systemMessage: "You write code, in many words.",
      description: "Answers questions about code.",
      llm: saying("Code."),
    });
    const qa = agent("qa_engineer", ["Tests."]);
    const result = await initiateGroupChat({
      pattern: new AutoPattern({
        initialAgent: manager,
        agents: [manager, developer, qa],
        groupManager: { llm: chooser },
        userAgent: person("user_proxy", "And tests?"),
      }),
      messages: "An inventory app, please.",
      maxRounds: 15,
    });
    expect(speakers(result)).toEqual([
      "user_proxy",
      "project_manager",
      "developer",
      "user_proxy",
      "developer", // who spoke before the user
      "qa_engineer",
    ]);
    const [system, ...rest] = chooser.calls[0]?.request.messages ?? [];
    expect(system?.content).toContain("developer: Answers questions about code.");
    expect(system?.content).not.toContain("in many words");
    expect(rest.map(({ content }) => content).slice(0, 2)).toEqual([
      "user_proxy: An inventory app, please.",
      "project_manager: A plan.",
    ]);
    expect(result.humanInput).toEqual(["And tests?", "exit"]);
  });
});

describe("names for a port from AG2", () => {
  it("targets by the agent, by its name, by AG2's names or ours are the same", () => {
    const desk = agent("desk", []);
    expect(AgentTarget(desk)).toEqual(agentTarget("desk"));
    expect(AgentNameTarget("desk")).toEqual(agentTarget(desk));
  });
});
