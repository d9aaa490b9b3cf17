import { describe, expect, it } from "vitest";
import { readChecks } from "../../../world/python-sdks/checks.ts";
import { followOrders, WORDS, type Said } from "../../../world/python-sdks/orders.ts";

const user = (text: string): Said => ({ role: "user", text });
const called: Said = { role: "assistant", text: "" };
const result = (text: string): Said => ({ role: "tool", text });

describe("the model of the Worker for Python SDKs", () => {
  it.each([
    ["hello", WORDS],
    ["ECHO tea for two", "tea for two"],
    ['JSON {"a":1}', '{"a":1}'],
    ["Current task:\n\nECHO tea\n\nAnswer.", "tea"],
  ])("answers %j with %j", (text, answer) => {
    expect(followOrders([user(text)])).toEqual({ text: answer });
  });

  it("calls the tools of one line at once, and those of the next line in the next turn", () => {
    const text = 'CALL a {"x":1} & CALL b {}\nCALL c {}';
    const first = { name: "a", arguments: { x: 1 } };
    expect(followOrders([user(text)])).toEqual({
      toolCalls: [first, { name: "b", arguments: {} }],
    });
    const after = [user(text), called, result("1"), result("2")];
    expect(followOrders(after)).toEqual({ toolCalls: [{ name: "c", arguments: {} }] });
    expect(followOrders([...after, called, result("3")])).toBe("RESULT 1 | 2 | 3");
  });

  it("takes results in the user's words for those of turns before", () => {
    const text = "CALL a {}\n\n(Used the tool a with {}. It answered: done)";
    expect(followOrders([user(text)])).toBe("RESULT done");
  });

  it("echoes, thinks, waits and fails as ordered", () => {
    const seen = [user("ECHO one"), { role: "assistant", text: "one" }, user("SEEN")];
    expect(followOrders(seen)).toEqual({ text: "user: ECHO one\nassistant: one\nuser: SEEN" });
    expect(followOrders([user("THINK of tea")])).toEqual({ thinking: "of tea", text: WORDS });
    expect(followOrders([user("SLOW 50 ECHO late")])).toEqual({ delayMs: 50, text: "late" });
    expect(followOrders([user("FAIL")])).toMatchObject({ error: { code: "model_rejected" } });
    expect(followOrders([user("LATE")])).toMatchObject({ error: { code: "timeout" } });
  });
});

it("reads the checks among other lines of a program", () => {
  const output = 'noise\nCHECK {"name": "chat plain", "ok": false, "said": "got 2"}\nCHECK none\n';
  expect(readChecks(output, "newest openai")).toEqual([
    { id: "newest openai chat plain", ok: false, said: "got 2" },
  ]);
});
