import { exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import releaseNotes from "../../examples/samples/release-notes.json";
import supportReply from "../../examples/samples/support-reply.json";
import type { Run, Step } from "../../src/runtime/run.ts";
import type { StartedRun } from "../../src/parts/started-run.ts";
import { runWithEvictions, runWithKills } from "./support/faults.ts";
import { parsed, range, seqsOf } from "./support/listening.ts";
import { reaches, SOON, start } from "./support/runs.ts";

const EXAMPLES = [
  { name: "release-notes", inputs: releaseNotes.inputs, says: /Harbour/ },
  { name: "support-reply", inputs: supportReply.inputs, says: /HL-20417|lamp|shade/i },
] as const;

function ask(path: string, init: RequestInit = {}): Promise<Response> {
  return exports.default.fetch(new Request(`https://api.test${path}`, init));
}

function kickoff(
  name: string,
  inputs: object,
  headers: Record<string, string> = {},
): Promise<Response> {
  const body = JSON.stringify({ inputs });
  return ask(`/crews/${name}/kickoff`, {
    method: "POST",
    body,
    headers: { "content-type": "application/json", ...headers },
  });
}

it("the sample of the first five minutes looks up with a tool, streams its words, and asks a person", async () => {
  const { id } = await (await kickoff("answer-a-letter", {})).json<StartedRun>();
  const read = async <T>(path: string): Promise<T> =>
    (await ask(`/runs/${id}${path}`, { headers: { accept: "application/json" } })).json<T>();
  await expect.poll(async () => (await read<Run>("")).status, SOON).toBe("waiting");
  const prompt = (await read<Run>("")).waits[0]?.prompt;
  expect(prompt).toContain("Hello Maya Lind");
  expect(prompt).toContain("Arrives: Thursday");
  expect(prompt).toContain("not a language model");
  const { items } = await read<{ items: Step[] }>("/journal");
  expect(items.map(({ key }) => key)).toContain("task:look-up/turn:1/tool:look_up_order#0");
  const calls = await read<{ items: object[] }>("/events?types=llm_call_started");
  expect(calls.items).toHaveLength(3);
  for (const call of calls.items) expect(call).toMatchObject({ stream: true });
});

describe.each(EXAMPLES)("the example $name, without any key", ({ name, inputs, says }) => {
  it("is started, followed and read over HTTP", async () => {
    const accepted = await kickoff(name, inputs);
    expect(accepted.status).toBe(202);
    const { id, links } = await accepted.json<StartedRun>();
    expect(accepted.headers.get("location")).toBe(links.self);
    const { events } = parsed(await (await ask(links.events)).text());
    const seqs = seqsOf(events); // chunks of text are live only
    expect(seqs).toEqual(range(1, seqs.length));
    expect(events.at(-1)).toMatchObject({ type: "run_completed" });
    const run = await (await ask(links.self)).json<Run>();
    expect(run).toMatchObject({ id, name, status: "completed", inputs });
    expect((run.output as { raw: string }).raw).toMatch(says);
    const journal = await (await ask(`${links.journal}?values=1`)).json<{ items: Step[] }>();
    expect(journal.items.every(({ state }) => state === "done")).toBe(true);
  });

  it("DC1: gives the same output with an eviction after every model call, and with a kill during each", async () => {
    const calm = await (await kickoff(name, inputs, { prefer: "wait=20" })).json<Run>();
    const { run: evicted, evictions } = await runWithEvictions(name, inputs);
    expect(evicted.output).toEqual(calm.output);
    expect(evictions).toBeGreaterThan(2);
    const { run: killed } = await runWithKills(name, { inputs });
    expect(killed.output).toEqual(calm.output);
  });

  it("gives the same output every time", async () => {
    const ids = [await start(name, { inputs }), await start(name, { inputs })];
    const [first, second] = await Promise.all(ids.map((id) => reaches(id, "completed")));
    expect(first?.output).toEqual(second?.output);
  });
});
