// Delegation as a loop, and agents that cannot be reached.
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { remoteAgent, type A2AClientConfig } from "../../../../../src/entry/a2a.ts";
import type { Script } from "../../../../../src/llm/scripted/scripted-model.ts";
import type { TaskOptions } from "../../../../../src/crew/tasks/task.ts";
import {
  a2aPeer,
  json,
  type Peer,
  type PeerOptions,
  addressOf,
} from "../../../../support/a2a-peer.ts";
import { askingInTurn } from "../../../../support/a2a-asking.ts";
import {
  lastTold,
  runCrewToEnd,
  runCrewToFailure,
  scriptedAgent,
  soloCrew,
} from "../../../../support/crew-harness.ts";
import { cutAfterEveryResult } from "../../../../support/cut-off.ts";

const A = "https://weather.example.com";
const B = "https://news.example.com";
const say = (message: string, ids: readonly string[] = [A]): string =>
  JSON.stringify({ a2a_ids: ids, message, is_a2a: true });
const answer = (message: string): string => JSON.stringify({ a2a_ids: [], message, is_a2a: false });
const isDown: PeerOptions["before"] = () => json({}, 500);

function loopOver(
  script: Script,
  {
    peers = [a2aPeer()],
    config = {},
    task = {},
  }: {
    peers?: readonly Peer[];
    config?: Partial<A2AClientConfig>;
    task?: Partial<TaskOptions>;
  } = {},
) {
  const send: typeof fetch = (input, init) => {
    const peer = peers.find(({ url }) => addressOf(input).startsWith(url));
    return peer?.fetch(input, init) ?? Promise.resolve(json({}, 404));
  };
  const { agent, model } = scriptedAgent(script, {
    maxRetryLimit: 0,
    a2a: peers.map(({ url }) =>
      remoteAgent({ endpoint: url, delegation: "loop", ...config }, { fetch: send }),
    ),
  });
  return { crew: soloCrew(agent, task), model, peers };
}

describe("AXL1: the loop", () => {
  it("asks whom the model names, and the model has the last word", async () => {
    const { crew, model, peers } = loopOver([say("Rain?"), answer("Rain, they say")]);
    const { result } = await runCrewToEnd(crew);
    expect(result.raw).toBe("Rain, they say");
    expect(peers[0]?.turns.map(({ text }) => text)).toEqual(["Rain?"]);
    expect(model.calls[0]?.request.tools ?? []).toEqual([]);
    expect(lastTold(model, 0)).toContain(
      `- ${A}: Weather Bot. Knows the weather. Skills: Forecast.`,
    );
    expect(lastTold(model, 1)).toContain("You said: Rain?\nWeather Bot answered: You said: Rain?");
  });

  it("takes an answer of the model's own, or one in another form, as it is", async () => {
    for (const text of [answer("No need"), "Just no"]) {
      const { crew, peers } = loopOver([text]);
      expect((await runCrewToEnd(crew)).result.raw).toBe(text === "Just no" ? text : "No need");
      expect(peers[0]?.turns).toEqual([]);
    }
  });

  it("suspends the output form of the task, and has the answer in it", async () => {
    const { crew } = loopOver([say("Rain?"), answer('{"rain":true}')], {
      task: { output: z.object({ rain: z.boolean() }) },
    });
    expect((await runCrewToEnd(crew)).result.object).toEqual({ rain: true });
  });

  it("AXL3: ends with the remote answer of a trusted agent", async () => {
    const { crew, model } = loopOver([say("Rain?")], {
      config: { trustRemoteCompletionStatus: true },
    });
    expect((await runCrewToEnd(crew)).result.raw).toBe("You said: Rain?");
    expect(model.calls).toHaveLength(1);
  });

  it("vector X14: after max_turns gives the last remote text", async () => {
    const peer = a2aPeer({
      script: ({ text, status }) => status("INPUT_REQUIRED", `More on ${text}?`),
    });
    const { crew, model } = loopOver([say("One"), say("Two"), say("Three")], {
      peers: [peer],
      config: { maxTurns: 2 },
    });
    expect((await runCrewToEnd(crew)).result.raw).toBe("More on Two?");
    expect(peer.turns).toHaveLength(2);
    expect(lastTold(model, 0)).toContain("After this you can send one more message.");
    expect(lastTold(model, 1)).toContain("This is your last chance to send a message.");
  });

  it("AXL4: fails after max_turns without a remote text", async () => {
    const peer = a2aPeer({ script: ({ status }) => status("COMPLETED") });
    const { crew } = loopOver([say("One"), say("Two")], { peers: [peer], config: { maxTurns: 1 } });
    expect((await runCrewToFailure(crew)).error.message).toBe(
      'task "work" (agent "Researcher"): A2A conversation exceeded maximum turns (1)',
    );
  });

  it("asks the model once more after a failure, and gives up after two", async () => {
    const peer = a2aPeer({ script: ({ status }) => status("FAILED", "No sky") });
    const helped = loopOver([say("One"), answer("I looked out of the window")], { peers: [peer] });
    expect((await runCrewToEnd(helped.crew)).result.raw).toBe("I looked out of the window");
    expect(lastTold(helped.model, 1)).toContain("Weather Bot could not do it: No sky");
    const given = loopOver([say("One"), say("Two")], { peers: [peer] });
    expect((await runCrewToEnd(given.crew)).result.raw).toBe("A2A delegation failed: No sky");
  });

  it("AXL2: accepts a skill's or agent's name for its endpoint, defaults to the first agent, and refuses others", async () => {
    for (const ids of [["forecast"], ["Weather Bot"], []]) {
      const { crew, peers } = loopOver([say("Rain?", ids), answer("Yes")]);
      await runCrewToEnd(crew);
      expect(peers[0]?.turns).toHaveLength(1);
    }
    const { crew } = loopOver([say("Rain?", ["https://evil.example.com"])]);
    expect((await runCrewToFailure(crew)).error.message).toContain(
      "a2a_ids must be among https://weather.example.com",
    );
  });

  it("asks several at once", async () => {
    const peers = [
      a2aPeer(),
      a2aPeer({ url: B, name: "News Bot", script: ({ status }) => status("FAILED", "No paper") }),
    ];
    const { crew, model } = loopOver([say("What's up?", [A, B]), answer("All well")], { peers });
    const { kept } = await runCrewToEnd(crew);
    expect(lastTold(model, 1)).toContain(
      "Weather Bot answered: You said: What's up?\nNews Bot could not do it: No paper",
    );
    expect(kept("a2a_parallel_delegation_started")).toMatchObject([{ endpoints: [A, B] }]);
    expect(kept("a2a_parallel_delegation_completed")).toMatchObject([
      { successCount: 1, failureCount: 1 },
    ]);
  });

  it("keeps to the conversation over its turns", async () => {
    const { crew, peers } = loopOver([say("One"), say("Two"), answer("Done")]);
    await runCrewToEnd(crew);
    const [one, two] = peers[0]?.turns ?? [];
    expect(two?.contextId).toBe(one?.contextId);
    expect(two?.request.message?.referenceTaskIds).toEqual([one?.taskId]);
  });

  it("is reviewed at its end alone", async () => {
    const { crew, model } = loopOver([say("Rain?"), answer("Rain"), "Rain, of course"], {
      task: { humanInput: true },
    });
    const { startCrew } = await import("../../../../support/crew-harness.ts");
    const run = startCrew(crew);
    await run.settle();
    expect((await run.handle.status()).waits).toMatchObject([{ kind: "human", subject: "Rain" }]);
    await run.handle.resume({ feedback: "Say of course" });
    await run.settle();
    await run.handle.resume({ feedback: "" });
    expect((await run.output()).raw).toBe("Rain, of course");
    expect(lastTold(model, 2)).toContain("Say of course");
  });

  it("comes out the same wherever it is cut off", async () => {
    const { whole, cut } = await cutAfterEveryResult(() => {
      const { crew } = loopOver(({ messages }) => {
        const said = messages.map(({ content }) => content).join();
        if (said.includes("You said: Two")) return answer("Done");
        return say(said.includes("You said: One") ? "Two" : "One");
      });
      return { program: crew.program() };
    });
    expect(whole.run.output).toMatchObject({ raw: "Done" });
    for (const each of cut) expect(each.run.output).toEqual(whole.run.output);
  });
});

describe("AXG2: unreachable agents", () => {
  const down = a2aPeer({ before: isDown });
  const up = a2aPeer({ url: B, name: "News Bot" });
  const both: typeof fetch = (input, init) =>
    (addressOf(input).startsWith(B) ? up : down).fetch(input, init);

  it("vector X13: with fail_fast false the run goes on with the others, and the prompt lists the lost one", async () => {
    const { agent, model } = scriptedAgent(
      askingInTurn(["News?"], { tool: "ask_news_bot", answer: "No news" }),
      {
        a2a: [
          remoteAgent({ endpoint: A, failFast: false }, { fetch: both }),
          remoteAgent({ endpoint: B, failFast: false }, { fetch: both }),
        ],
      },
    );
    const { result, kept } = await runCrewToEnd(soloCrew(agent));
    expect(result.raw).toBe("No news");
    expect(model.calls[0]?.request.tools?.map(({ name }) => name)).toEqual(["ask_news_bot"]);
    expect(lastTold(model, 0)).toContain(`These agents elsewhere cannot be reached now:\n- ${A}`);
    expect(kept("a2a_connection_error")).toMatchObject([{ endpoint: A, operation: "agent_card" }]);
  });

  it("vector X13: when all are down, a task runs without them with a notice, and a kickoff without one", async () => {
    for (const delegation of ["tools", "loop"] as const) {
      const { agent, model } = scriptedAgent(["Done alone", "Done alone"], {
        a2a: remoteAgent({ endpoint: A, failFast: false, delegation }, { fetch: both }),
      });
      expect((await runCrewToEnd(soloCrew(agent))).result.raw).toBe("Done alone");
      expect(lastTold(model, 0)).toContain(
        "None of the agents elsewhere that you could ask can be reached now",
      );
      await agent.kickoff("Hello");
      expect(lastTold(model, 1)).toBe("Hello");
    }
  });

  it("with fail_fast the run fails before any work", async () => {
    const { agent, model } = scriptedAgent(["x"], { a2a: remoteAgent(A, { fetch: both }) });
    const { error } = await runCrewToFailure(soloCrew(agent));
    expect(error.message).toContain(`the remote agent at ${A} cannot be asked`);
    expect(model.calls).toEqual([]);
  });
});
