// Conversations with remote agents: several messages, questions back, persons, limits, and ends of all kinds.
import { describe, expect, it } from "vitest";
import { remoteAgent, type A2AClientConfig } from "../../../../../src/entry/a2a.ts";
import { askingInTurn } from "../../../../support/a2a-asking.ts";
import {
  a2aPeer,
  json,
  type Peer,
  type PeerOptions,
  addressOf,
} from "../../../../support/a2a-peer.ts";
import {
  lastTold,
  runCrewToEnd,
  scriptedAgent,
  soloCrew,
  startCrew,
} from "../../../../support/crew-harness.ts";
import type { ScriptedModel } from "../../../../../src/llm/scripted/scripted-model.ts";

async function asking(
  messages: readonly string[],
  options: PeerOptions & { readonly config?: Partial<A2AClientConfig> } = {},
): Promise<{
  peer: Peer;
  told: string[];
  model: ScriptedModel;
  run: Awaited<ReturnType<typeof runCrewToEnd>>;
}> {
  const { config, ...peerOptions } = options;
  const peer = a2aPeer(peerOptions);
  const { agent, model } = scriptedAgent(askingInTurn(messages), {
    a2a: remoteAgent({ endpoint: peer.url, ...config }, { fetch: peer.fetch }),
  });
  const run = await runCrewToEnd(soloCrew(agent));
  return { peer, model, run, told: messages.map((_, index) => lastTold(model, index + 1)) };
}

describe("AXT1: a conversation", () => {
  it("keeps its context over several calls, and names finished tasks", async () => {
    const { peer } = await asking(["One", "Two", "Three"]);
    const [one, two, three] = peer.turns;
    expect(two?.contextId).toBe(one?.contextId);
    expect(three?.request.message?.referenceTaskIds).toEqual([one?.taskId, two?.taskId]);
  });

  it("is another one for another task", async () => {
    const peer = a2aPeer();
    const { agent } = scriptedAgent(askingInTurn(["Hello"]), {
      a2a: remoteAgent(peer.url, { fetch: peer.fetch }),
    });
    await runCrewToEnd(soloCrew(agent));
    await runCrewToEnd(soloCrew(agent));
    expect(peer.turns[0]?.contextId).not.toBe(peer.turns[1]?.contextId);
  });

  it("takes a message for an answer", async () => {
    const { told } = await asking(["message: hi"], {
      script: ({ message }) => message("Hi there"),
    });
    expect(told).toEqual(["Hi there"]);
  });

  it("shows structured parts as JSON", async () => {
    const { told } = await asking(["Rain?"], {
      script: ({ artifact, status }) => {
        artifact("", { data: { rain: true }, mediaType: "application/json" });
        status("COMPLETED", "See the data");
      },
    });
    expect(told).toEqual(['See the data\n{"rain":true}']);
  });

  it("reads data sent also as text once", async () => {
    const { told } = await asking(["Rain?"], {
      script: ({ artifact, status }) => {
        artifact('{"wind": 4,', { last: false, id: "json" });
        artifact(' "rain": true}', { append: true, last: false, id: "json" });
        artifact("", { data: { rain: true, wind: 4 }, append: true, id: "json" });
        status("COMPLETED", "See the data");
      },
    });
    expect(told).toEqual(['See the data\n{"rain":true,"wind":4}']);
  });

  it("AXK1: joins the texts of the status and of all artifacts", async () => {
    const { told } = await asking(["Rain?"], {
      script: ({ artifact, status }) => {
        artifact("Ra", { id: "a", last: false });
        artifact("in", { id: "a", append: true });
        artifact("and wind", { id: "b" });
        status("COMPLETED", "Done:");
      },
    });
    expect(told).toEqual(["Done: Ra in and wind".replace("Ra in", "Rain")]);
  });
});

describe("AXT2: an agent that asks back", () => {
  const script: PeerOptions["script"] = ({ text, status, artifact }) => {
    if (text === "Rain?") return status("INPUT_REQUIRED", "Where?");
    artifact(`Rain in ${text}`);
    status("COMPLETED");
  };

  it("AXV2: is answered by the model with another call, in the same task", async () => {
    const { peer, told } = await asking(["Rain?", "Rome"], { script });
    expect(told[0]).toBe(
      "Weather Bot asks before it goes on: Where?\nAnswer it by calling this tool again.",
    );
    expect(told[1]).toBe("Rain in Rome");
    expect(peer.turns[1]).toMatchObject({ taskId: peer.turns[0]?.taskId, isFollowUp: true });
  });

  it("AXR5: is answered the same by poll and without a stream", async () => {
    for (const options of [{ streaming: false }, { config: { updates: "polling" } as const }]) {
      const { told } = await asking(["Rain?", "Rome"], { script, ...options });
      expect(told[1]).toBe("Rain in Rome");
    }
  });

  it("AXV4: is answered by a person when settings say so, weeks later", async () => {
    const peer = a2aPeer({ script });
    const { agent, model } = scriptedAgent(askingInTurn(["Rain?"]), {
      a2a: remoteAgent({ endpoint: peer.url, inputRequired: "person" }, { fetch: peer.fetch }),
    });
    const run = startCrew(soloCrew(agent));
    const { waits } = await run.settle();
    expect(waits).toMatchObject([
      { kind: "human", prompt: 'The remote agent "Weather Bot" asks: Where?' },
    ]);
    await run.clock.advance(21 * 86_400_000);
    await run.handle.resume({ feedback: "Rome" });
    await run.output();
    expect(lastTold(model, 1)).toBe("Rain in Rome");
    expect(peer.turns.map(({ text }) => text)).toEqual(["Rain?", "Rome"]);
  });
});

describe("AXT3: an endless conversation", () => {
  it("ends after maxTurns, and the model gets the agent's last words", async () => {
    const { peer, told } = await asking(["One", "Two", "Three"], {
      config: { maxTurns: 2 },
      script: ({ text, status }) => status("INPUT_REQUIRED", `What about ${text}?`),
    });
    expect(peer.turns).toHaveLength(2);
    expect(told[2]).toContain(
      "has reached its limit of 2 messages. Its last words were: What about Two?",
    );
  });

  it("asks no person for words beyond the limit", async () => {
    const { peer } = await asking(["One"], {
      config: { maxTurns: 1, inputRequired: "person" },
      script: ({ status }) => status("INPUT_REQUIRED", "And?"),
    });
    expect(peer.turns).toHaveLength(1);
  });
});

describe("states of a task", () => {
  it.each([
    ["FAILED", "No sky today", "Weather Bot did not do it (failed): No sky today (failed)"],
    ["REJECTED", "Not my sky", "Weather Bot did not do it (rejected): Not my sky (rejected)"],
    ["CANCELED", undefined, "Weather Bot did not do it (canceled): it gave no reason (canceled)"],
    [
      "AUTH_REQUIRED",
      "Log in",
      "Weather Bot needs credentials that were not given to it: Log in (auth_required)",
    ],
  ])("%s is a failure of the tool", async (state, text, told) => {
    const done = await asking(["Rain?"], { script: ({ status }) => status(state, text) });
    expect(done.told[0]).toContain(told);
    expect(done.run.kept("tool_failure_detected")).toHaveLength(1);
  });

  it("reports a completed task without text as such", async () => {
    const { told } = await asking(["Rain?"], { script: ({ status }) => status("COMPLETED") });
    expect(told).toEqual(["Weather Bot has done it and said nothing."]);
  });
});

describe("AXV3: a context forgotten by the remote agent", () => {
  it("is left, and the message sent in a new one", async () => {
    let isForgotten = false;
    const { peer, told, run } = await asking(["Rain?", "Rome"], {
      before: ({ body }) => {
        const { params, id } = JSON.parse(body || "{}") as {
          params?: { message?: { taskId?: string } };
          id?: number;
        };
        if (params?.message?.taskId === undefined) return undefined;
        isForgotten = true;
        return json({ jsonrpc: "2.0", id, error: { code: -32001, message: "Task not found" } });
      },
      script: ({ text, status, artifact }) => {
        if (text === "Rain?") return status("INPUT_REQUIRED", "Where?");
        artifact(`New: ${text}`);
        status("COMPLETED");
      },
    });
    expect(isForgotten).toBe(true);
    expect(told[1]).toBe("New: Rome");
    expect(run.kept("a2a_context_expired")).toMatchObject([
      { contextId: peer.turns[0]?.contextId },
    ]);
  });
});

it("gives agents of one name tools of their own", async () => {
  const [a, b] = [a2aPeer(), a2aPeer({ url: "https://other.example.com" })];
  const both: typeof fetch = (input, init) =>
    (addressOf(input).startsWith(a.url) ? a : b).fetch(input, init);
  const { agent, model } = scriptedAgent(askingInTurn(["Hi"], { tool: "ask_weather_bot_2" }), {
    a2a: [remoteAgent(a.url, { fetch: both }), { endpoint: b.url }],
  });
  await runCrewToEnd(soloCrew(agent));
  expect(model.calls[0]?.request.tools?.map(({ name }) => name)).toEqual([
    "ask_weather_bot",
    "ask_weather_bot_2",
  ]);
  expect(b.turns).toHaveLength(1);
});

it("works in a kickoff of the agent alone", async () => {
  const peer = a2aPeer();
  const { agent } = scriptedAgent(askingInTurn(["Hi"]), {
    a2a: remoteAgent(peer.url, { fetch: peer.fetch }),
  });
  expect((await agent.kickoff("Hello")).raw).toBe("It will rain");
  expect(peer.turns).toHaveLength(1);
});
