import { env, exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { createClient, EdgecrewClient } from "../../src/client/index.ts";
import { describeRunHandle } from "../support/run-handle.suite.ts";
import { registry } from "./support/crews.ts";
import app from "./worker.ts";

const client = new EdgecrewClient({
  baseUrl: "https://api.test",
  fetch: (url, init) => exports.default.fetch(new Request(url, init)),
});

describeRunHandle({
  name: "in this process",
  start: async (crew) => {
    const found = registry[crew];
    if (found === undefined) throw new Error(`the Worker under test has no crew ${crew}`);
    return found.start();
  },
});

describeRunHandle({
  name: "behind HTTP, in a Durable Object",
  start: (crew) => client.crews.kickoff(crew),
  again: (id) =>
    new EdgecrewClient({
      baseUrl: "https://api.test",
      fetch: (url, init) => exports.default.fetch(new Request(url, init)),
    }).runs.handle(id),
});

const created = createClient({
  url: "https://api.test",
  auth: () => "a key that nobody asks for",
  fetch: (url, init) => exports.default.fetch(new Request(url, init)),
});

describeRunHandle({
  name: "of createClient (CC14)",
  start: (crew) => created.crews.kickoff(crew),
  again: (id) => created.runs.handle(id),
});

// As in React Native: bodies cannot be read while they come, so that events are read in pages.
const phone = createClient({
  url: "https://api.test",
  fetch: async (url, init) => {
    const response = await exports.default.fetch(new Request(url, init));
    return Object.defineProperty(response, "body", { value: undefined });
  },
});

describeRunHandle({
  name: "of createClient where no stream can be read (CC14)",
  start: (crew) => phone.crews.kickoff(crew),
  again: (id) => phone.runs.handle(id),
});

describeRunHandle({
  name: "over RPC, in a Durable Object",
  start: (crew) => app.runs(env).kickoff(crew),
  again: (id) => app.runs(env).handle(id),
});

describe("a run handle on an unknown run", () => {
  it("rejects with not_found, the event stream included", async () => {
    const run = client.runs.handle("never");
    for (const attempt of [
      () => run.status(),
      () => run.output(),
      () => run.resume({ feedback: "x" }),
      () => run.cancel(),
      () => run.pause(),
      () => run.unpause(),
      () => run.events()[Symbol.asyncIterator]().next(),
    ]) {
      await expect(attempt()).rejects.toMatchObject({
        code: "not_found",
        message: "there is no run never",
      });
    }
  });
});
