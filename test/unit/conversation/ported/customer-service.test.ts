// Services with a person at the other end, as somebody writes them who knows swarms and groups from AG2.
import { describe, expect, it, vi } from "vitest";
import * as z from "zod";
import {
  AgentTarget,
  agentTarget,
  AskUserTarget,
  ContextVariables,
  contextVariables,
  ConversableAgent,
  DefaultPattern,
  functionTarget,
  initiateGroupChat,
  nestedChatTarget,
  onCondition,
  onContextCondition,
  ReplyResult,
  RevertToUserTarget,
  startGroupChat,
  TerminateTarget,
  UpdateSystemMessage,
  UserProxyAgent,
  type GroupChatResult,
} from "../../../../src/conversation/index.ts";
import { Agent, tool, type Tool } from "../../../../src/index.ts";
import { scriptedModel, toolCall, type Script } from "../../../../src/testing/index.ts";
import { lines, textOf, toldInGroup } from "../../../support/conversations.ts";

const EXECUTOR = "_Group_Tool_Executor";

const speakers = ({ messages }: GroupChatResult): readonly unknown[] =>
  messages.flatMap(({ name }) => (name === EXECUTOR ? [] : [name]));

const agent = (name: string, script: Script, tools: readonly Tool[] = []): ConversableAgent =>
  new ConversableAgent({
    name,
    systemMessage: `You are ${name}.`,
    llm: scriptedModel(script),
    tools,
  });

function person(name: string, ...words: readonly string[]): UserProxyAgent {
  const left = [...words];
  return new UserProxyAgent({ name, getHumanInput: () => left.shift() ?? "exit" });
}

describe("a shop with triage, tracking, login, orders and returns", () => {
  const ORDERS: Readonly<Record<string, string>> = { TR14234: "shipped" };

  function shop() {
    const order = z.object({ order_number: z.string() });
    const variables = contextVariables();
    const verify = tool({
      name: "verify_order_number",
      description: "Checks the number of an order.",
      input: order,
      inject: { variables },
      run: ({ order_number: number }, { variables: shared }) => {
        const status = ORDERS[number];
        if (status === undefined) return "There is no such order.";
        shared.set("order_info", { number, status });
        return new ReplyResult({ message: "The number is valid.", contextVariables: shared });
      },
    });
    const login = tool({
      name: "login_account",
      description: "Logs the user in.",
      input: z.object({}),
      inject: { variables },
      run: (_, { variables: shared }) => {
        shared.update({ user_info: "Kev", is_user_verified: true });
        return new ReplyResult({
          message: "Logged in.",
          contextVariables: shared,
          target: AgentTarget(management),
        });
      },
    });
    const history = tool({
      name: "get_order_history",
      description: "Lists orders.",
      input: z.object({}),
      run: () => Object.entries(ORDERS).map(([number, status]) => ({ number, status })),
    });
    const triage = agent("order_triage_agent", ({ messages }) => {
      const last = messages.at(-1)?.content ?? "";
      if (last.includes("TR14234")) return toolCall("transfer_to_order_tracking_agent_2", {});
      return last.includes("log in")
        ? toolCall("transfer_to_login_agent_1", {})
        : "How can I help?";
    });
    const tracking = agent(
      "order_tracking_agent",
      ({ messages }) =>
        messages.at(-1)?.role === "tool"
          ? "It has been shipped."
          : toolCall("verify_order_number", { order_number: "TR14234" }),
      [verify],
    );
    const loginAgent = agent("login_agent", () => toolCall("login_account", {}), [login]);
    const management = agent(
      "order_management_agent",
      ({ messages, tools }) => {
        const last = messages.at(-1);
        if (last?.content.includes("return")) return toolCall("transfer_to_return_agent_1", {});
        if (last?.content.startsWith("[")) return "You have one order.";
        return tools?.some(({ name }) => name === "get_order_history") === true
          ? toolCall("get_order_history", {})
          : "no tools";
      },
      [history],
    );
    const returns = agent("return_agent", () => "Your return is on its way.");
    triage.handoffs.add(
      onCondition({ target: agentTarget(loginAgent), condition: "Transfer to login." }),
      onCondition({ target: agentTarget(tracking), condition: "Transfer to tracking." }),
    );
    management.handoffs.add(
      onCondition({ target: agentTarget(returns), condition: "Transfer to returns." }),
    );
    const customer = new UserProxyAgent({ name: "Customer" });
    return new DefaultPattern({
      agents: [triage, tracking, loginAgent, management, returns],
      initialAgent: triage,
      contextVariables: new ContextVariables({ user_name: "Kevin", is_user_verified: false }),
      userAgent: customer,
      groupAfterWork: RevertToUserTarget(),
    });
  }

  it("a customer with answers over a handle is transferred from desk to desk", async () => {
    const run = startGroupChat({ pattern: shop(), messages: "Hello", maxRounds: 40, name: "shop" });
    for (const feedback of ["Where is TR14234?", "exit"]) {
      const key = await vi.waitUntil(async () => (await run.status()).waits[0]?.key);
      await run.resume({ key, feedback });
      await vi.waitUntil(async () => (await run.status()).waits[0]?.key !== key);
    }
    const result = await run.output();
    expect(speakers(result)).toEqual([
      "Customer",
      "order_triage_agent",
      "Customer",
      "order_triage_agent",
      "order_tracking_agent",
      "order_tracking_agent",
    ]);
    expect(result.contextVariables["order_info"]).toEqual({ number: "TR14234", status: "shipped" });
    expect(result.summary).toBe("It has been shipped.");
    expect(result.humanInput).toEqual(["Where is TR14234?", "exit"]);

    const later = startGroupChat({
      pattern: shop(),
      messages: [
        ...result.messages,
        { role: "user", name: "Customer", content: "I want to log in." },
      ],
      contextVariables: result.contextVariables,
    });
    const key = await vi.waitUntil(async () => (await later.status()).waits[0]?.key);
    await later.resume({ key, feedback: "I want to return it." });
    const next = await vi.waitUntil(async () => {
      const [wait] = (await later.status()).waits;
      return wait?.key !== key && wait?.key;
    });
    await later.resume({ key: next, feedback: "exit" });
    const ended = await later.output();
    expect(speakers(ended).slice(-6)).toEqual([
      "login_agent",
      "order_management_agent",
      "order_management_agent",
      "Customer",
      "order_management_agent",
      "return_agent",
    ]);
    expect(ended.contextVariables).toMatchObject({ is_user_verified: true, order_info: {} });
  });
});

describe("a team of designers in a ring", () => {
  it("each notes its part, and reads the notes of the others in the second round", async () => {
    const PARTS = ["story", "gameplay", "visuals", "tech"] as const;
    const note = (part: string, next: string): Tool =>
      tool({
        name: `update_${part}_overview`,
        description: "Keep it short.",
        input: z.object({ summary: z.string() }),
        inject: { variables: contextVariables() },
        run: ({ summary }, { variables }) => {
          variables.set(part, summary);
          return new ReplyResult({
            message: "noted",
            target: agentTarget(`${next}_agent`),
            contextVariables: variables,
          });
        },
      });
    const systems = new Map<string, string>();
    const team = PARTS.map((part, index) => {
      const next = PARTS[(index + 1) % PARTS.length] as string;
      const member = agent(
        `${part}_agent`,
        ({ messages }, call) => {
          const system = messages[0]?.content ?? "";
          systems.set(part, system);
          return call === 0
            ? toolCall(`update_${part}_overview`, { summary: `${part}!` })
            : `All of ${part}.`;
        },
        [note(part, next)],
      );
      member.setAfterWork(agentTarget(`${next}_agent`));
      return new UpdateSystemMessage((self, _, variables) => {
        const known = PARTS.filter((each) => each !== part && variables.get(each, null) !== null);
        return `${self.name} knows ${known.map((each) => textOf(variables.get(each))).join(" ")}`;
      }).addToAgent(member);
    });
    const result = await initiateGroupChat({
      pattern: new DefaultPattern({
        initialAgent: team[0] as ConversableAgent,
        agents: team,
        contextVariables: { story: null, gameplay: null, visuals: null, tech: null },
      }),
      messages: "A game with dragons.",
      maxRounds: 13,
    });
    expect(result.messages).toHaveLength(13);
    expect(result.messages.slice(-4).map(({ content }) => content)).toEqual(
      PARTS.map((part) => `All of ${part}.`),
    );
    expect(systems.get("story")).toBe(
      toldInGroup("story_agent", "story_agent knows gameplay! visuals! tech!"),
    );
    expect(result.messages[0]?.name).toBe("user");
    expect(result.reason).toBe("maximum rounds reached");
  });
});

describe("a router with a question", () => {
  it("a tool reverts to the user, and the answer returns to the asking agent", async () => {
    const clarify = tool({
      name: "request_clarification",
      description: "Asks the user.",
      input: z.object({ question: z.string() }),
      run: ({ question }) => new ReplyResult({ message: question, target: RevertToUserTarget() }),
    });
    const route = tool({
      name: "route_to_specialist",
      description: "Routes.",
      input: z.object({ domain: z.enum(["tech", "finance"]) }),
      run: ({ domain }) => AgentTarget(domain),
    });
    const router = agent(
      "router",
      ({ messages }) =>
        messages.some(({ content }) => content.includes("computers"))
          ? toolCall("route_to_specialist", { domain: "tech" })
          : toolCall("request_clarification", { question: "Which kind of bug?" }),
      [clarify, route],
    );
    const tech = agent("tech", () => "Turn it off and on.");
    const finance = agent("finance", () => "Sell.");
    router.setAfterWork(RevertToUserTarget());
    for (const each of [tech, finance]) each.setAfterWork(TerminateTarget());
    const result = await initiateGroupChat({
      pattern: new DefaultPattern({
        agents: [router, tech, finance],
        initialAgent: router,
        userAgent: person("user", "In computers."),
      }),
      messages: "I have a bug.",
    });
    expect(speakers(result)).toEqual(["user", "router", "user", "router", "tech"]);
    expect(result.summary).toBe("Turn it off and on.");
  });
});

describe("a hierarchy", () => {
  it("an executive, managers and specialists report back by variables", async () => {
    const report = (name: string, to: string): Tool =>
      tool({
        name: `report_${name}`,
        description: "Reports.",
        input: z.object({ text: z.string() }),
        inject: { variables: contextVariables() },
        run: ({ text }, { variables }) => {
          variables.update({ [`${name}_report`]: text, [`${name}_done`]: true });
          return new ReplyResult({
            message: "reported",
            target: agentTarget(to),
            contextVariables: variables,
          });
        },
      });
    const executive = agent("executive", () => "The report: sun and wind.");
    const manager = agent(
      "manager",
      (_, index) => (index === 0 ? toolCall("report_manager", { text: "all" }) : "?"),
      [report("manager", "executive")],
    );
    const specialists = ["sun", "wind"].map((name) =>
      agent(name, () => toolCall(`report_${name}`, { text: `${name} is good` }), [
        report(name, "manager"),
      ]),
    );
    executive.handoffs
      .add(onContextCondition({ target: agentTarget(manager), condition: "not ${manager_done}" }))
      .setAfterWork(RevertToUserTarget());
    manager.handoffs.add(
      ...specialists.map((each) =>
        onContextCondition({
          target: agentTarget(each),
          condition: "not ${" + each.name + "_done}",
        }),
      ),
    );
    const result = await initiateGroupChat({
      pattern: new DefaultPattern({
        initialAgent: executive,
        agents: [executive, manager, ...specialists],
        contextVariables: { manager_done: false, sun_done: false, wind_done: false },
        userAgent: person("user"),
      }),
      messages: "Renewable energy?",
      maxRounds: 30,
    });
    expect(result.summary).toBe("The report: sun and wind.");
    expect(result.contextVariables).toMatchObject({
      sun_report: "sun is good",
      wind_report: "wind is good",
    });
  });

  it("an expression with an unset variable names it, and lists the existing ones", async () => {
    const clerk = agent("clerk", () => "never");
    clerk.handoffs.add(
      onContextCondition({ target: TerminateTarget(), condition: "${done} and ${checked}" }),
    );
    await expect(
      initiateGroupChat({
        pattern: new DefaultPattern({
          agents: [clerk],
          initialAgent: clerk,
          contextVariables: { done: true },
        }),
        messages: "Hello",
      }),
    ).rejects.toThrow(/"?checked"?.*not set.*done/s);
  });
});

describe("targets of every kind in one airline", () => {
  it("a function decides after an agent, an agent of crews answers in a nested chat, a person picks the next speaker", async () => {
    const checker = new Agent({
      role: "Checker",
      goal: "Check bookings",
      backstory: "You are quick.",
      llm: scriptedModel(({ messages }) => `checked: ${messages.at(-1)?.content}`),
    });
    const check = nestedChatTarget([
      {
        recipient: checker,
        message: ({ messages }) => textOf(messages.at(-1)?.content),
        maxTurns: 1,
      },
    ]);
    const desk = new ConversableAgent({
      name: "desk",
      llm: scriptedModel(() => "Your booking is AB12."),
      targets: { check }, // what a function or a tool returns is on record by its name
    });
    const lost = agent("lost_and_found", () => "We found it.");
    desk.handoffs.setAfterWork(
      functionTarget((last, variables) => ({
        target: variables.get("checked", false) === true ? AskUserTarget() : check,
        contextVariables: { checked: true, last },
      })),
    );
    lost.handoffs.setAfterWork(TerminateTarget());
    const result = await initiateGroupChat({
      pattern: new DefaultPattern({
        agents: [desk, lost],
        initialAgent: desk,
        groupManager: { getHumanInput: () => "lost_and_found" },
        contextVariables: { checked: false },
      }),
      messages: "I lost my bag.",
      maxRounds: 10,
    });
    expect(lines(result.messages).map((line) => line.replace(/_\d+:/, ":"))).toEqual([
      "user: I lost my bag.",
      "desk: Your booking is AB12.",
      "wrapped_nested_desk: checked: Your booking is AB12.",
      "desk: Your booking is AB12.",
      "lost_and_found: We found it.",
    ]);
  });
});
