import { afterAll, beforeAll, expect, it } from "vitest";
import type { ConversationCase } from "../../../world/ag2/conversation-case.ts";
import { replyFor, ScriptServer, speakerOf } from "../../../world/ag2/script-server.ts";

const ana = { role: "system", content: "<<A:ana>> You are ana." };
const played: ConversationCase = {
  id: "c1",
  profile: "chat",
  agents: [],
  register: [],
  script: {
    ana: [{ text: "" }, { text: "first", tools: [{ name: "add", args: { a: 1, b: 2 } }] }],
  },
};
const server = new ScriptServer([played]);
let address: string;

beforeAll(async () => {
  address = await server.listen();
});
afterAll(() => server.close());

function asks(side: string, messages: readonly object[], stream = false): Promise<Response> {
  return fetch(`${address}/${side}/case/c1/v1/chat/completions`, {
    method: "POST",
    body: JSON.stringify({ model: "m", messages, stream }),
  });
}

async function text(side: string, messages: readonly object[]): Promise<unknown> {
  const { choices } = (await (await asks(side, messages)).json()) as {
    readonly choices: readonly { readonly message: { readonly content: unknown } }[];
  };
  return choices[0]?.message.content;
}

it("knows the speaker by the marks of a prompt", () => {
  expect(speakerOf({ messages: [ana] })).toBe("ana");
  expect(speakerOf({ messages: [ana, { role: "user", content: "<<S>> Sum up." }] })).toBe(
    "_summary",
  );
  expect(speakerOf({ messages: [{ role: "user", content: "<<G:g1>> judge" }] })).toBe("_guard_g1");
  expect(speakerOf({ messages: [{ role: "user", content: "<<A:ana>>" }] })).toBe("_select");
});

it("ends an agent's script with TERMINATE, and a selection's with `nobody`", () => {
  const names = ["transfer_to_ben_1"];
  const after = (speaker: string) => replyFor([{ text: "x" }], { speaker, turn: 1, names });
  expect(after("ana")).toEqual({ text: "TERMINATE" });
  expect(after("_select")).toEqual({ text: "nobody" });
  expect(after("_summary")).toEqual({ text: "x" });
});

it("takes an offered hand-over, and replies with a text for another", () => {
  const names = ["lookup", "transfer_to_ben_1"];
  const reply = (handoff: number) =>
    replyFor([{ handoff }], { speaker: "ana", turn: 0, names }).tools?.[0]?.name;
  expect([reply(1), reply(2)]).toEqual(["transfer_to_ben_1", undefined]);
});

it("gives our model an empty reply again when it is asked again", async () => {
  const first = [ana, { role: "user", content: "hi" }];
  const again = [...first, { role: "user", content: "Your last answer was empty. Please go on." }];
  const asked: unknown[] = [];
  for (const messages of [first, again, first]) asked.push(await text("ours", messages));
  expect(asked).toEqual(["", "", "first"]);
  expect(server.asked("ours", "c1").calls).toEqual({ ana: 2 });
  expect([await text("theirs", first), await text("theirs", again)]).toEqual(["", "first"]);
});

it("streams the words and calls of a reply", async () => {
  const streamed = await (
    await asks("streamed", [ana, { role: "user", content: "1" }], true)
  ).text();
  expect(streamed.endsWith("data: [DONE]\n\n")).toBe(true);
  const second = await (await asks("streamed", [ana, { role: "user", content: "2" }], true)).text();
  const deltas = second
    .split("\n\n")
    .filter((line) => line.startsWith("data: {"))
    .map((line) => JSON.parse(line.slice(6)) as StreamChunk)
    .flatMap(({ choices }) => choices.map(({ delta }) => delta));
  expect(deltas.map(({ content }) => content ?? "").join("")).toBe("first");
  const calls = deltas.flatMap(({ tool_calls: made = [] }) => made);
  expect(calls.map((call) => call.function.arguments).join("")).toBe('{"a":1,"b":2}');
});

type StreamChunk = {
  readonly choices: readonly {
    readonly delta: {
      readonly content?: string | null;
      readonly tool_calls?: readonly { readonly function: { readonly arguments: string } }[];
    };
  }[];
};
