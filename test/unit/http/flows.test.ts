import { describe, expect, it } from "vitest";
import * as z from "zod";
import { defineFlow } from "../../../src/flow/index.ts";
import { scriptedModel } from "../../../src/llm/scripted/scripted-model.ts";
import { HttpWorld, review, textOf } from "../../support/http-app.ts";

const other = defineFlow({
  name: "other",
  description: "Says hello",
  methods: { hello: { start: true, run: () => "hello" } },
});

describe("flows over HTTP", () => {
  it("are listed by name, page by page", async () => {
    const world = new HttpWorld({ flows: { review, other } });
    const first = await world.ask("/flows?limit=1");
    expect(first.json["items"]).toEqual([
      {
        name: "other",
        source: "code",
        description: "Says hello",
        methods: { hello: { start: true } },
      },
    ]);
    const second = await world.ask(`/flows?limit=1&cursor=${textOf(first.json["nextCursor"])}`);
    expect(second.json).toEqual({ items: [expect.objectContaining({ name: "review" })] });
  });

  it("show the trigger of each method, and no model object", async () => {
    const llm = scriptedModel(() => "secret");
    const judged = defineFlow({
      name: "judged",
      methods: {
        draft: {
          start: true,
          humanFeedback: { message: "Good?", emit: ["yes"], llm },
          run: () => 1,
        },
        named: {
          listen: "yes",
          humanFeedback: { message: "Sure?", emit: ["y"], llm: "openai/gpt-5" },
          run: () => 1,
        },
      },
    });
    const world = new HttpWorld({ flows: { judged } });
    expect((await world.ask("/flows/judged")).json["methods"]).toEqual({
      draft: { start: true, humanFeedback: { message: "Good?", emit: ["yes"] } },
      named: {
        listen: "yes",
        humanFeedback: { message: "Sure?", emit: ["y"], llm: "openai/gpt-5" },
      },
    });
  });

  it("are refused with the pointer of the invalid input, as crews are", async () => {
    const counts = defineFlow({
      name: "counts",
      state: z.object({ count: z.number() }),
      methods: { a: { start: true, run: () => 1 } },
    });
    const world = new HttpWorld({ flows: { counts } });
    const { status, json } = await world.ask("/flows/counts/kickoff", {
      json: { inputs: { count: "x" } },
    });
    expect([status, json["errors"]]).toEqual([
      400,
      [{ path: "/inputs/count", message: expect.any(String) }],
    ]);
  });

  it("are started once for each id, wait for a person, and go on with the label", async () => {
    const world = new HttpWorld();
    const json = { id: "f-1", inputs: { topic: "tea" }, meta: { n: 1 } };
    const started = await world.ask("/flows/review/kickoff", { json });
    expect(started.status).toBe(202);
    expect(started.headers.get("location")).toBe("/runs/f-1");
    await world.clock.settle();
    await world.ask("/flows/review/kickoff", { json });
    expect((await world.ask("/runs/f-1")).json).toMatchObject({
      kind: "flow",
      name: "review",
      status: "waiting",
      waits: [{ key: "method:draft/feedback", kind: "human", choices: ["approved", "rejected"] }],
      meta: { n: 1 },
    });
    await world.ask("/runs/f-1/resume", { json: { feedback: "rejected" } });
    await world.clock.settle();
    expect((await world.ask("/runs/f-1")).json).toMatchObject({
      status: "completed",
      output: { value: "Dropped", state: { topic: "tea", draft: "On tea" } },
    });
  });

  it("refuse inputs that do not fit the state before a run starts", async () => {
    const world = new HttpWorld();
    const { status, json } = await world.ask("/flows/review/kickoff", {
      json: { id: "f-2", inputs: { topic: 4 } },
    });
    expect(status).toBe(400);
    expect(JSON.stringify(json)).toContain("topic");
    expect((await world.ask("/runs/f-2")).status).toBe(404);
  });

  it("are 404 when they are not there", async () => {
    const world = new HttpWorld();
    for (const path of ["/flows/nobody", "/flows/toString"])
      expect((await world.ask(path)).json).toMatchObject({ status: 404, code: "not_found" });
    const { status, json } = await world.ask("/flows/nobody/kickoff", { json: {} });
    expect([status, json["detail"]]).toEqual([404, 'there is no flow "nobody"']);
  });
});
