// Webhooks from the deployed configuration on `wrangler dev` to a server of this process, over real connections.
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, expect, it } from "vitest";
import { EdgecrewClient } from "../../src/client/index.ts";
import { migrate, WranglerDev } from "../support/wrangler-dev.ts";

type Received = {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
};

const persistTo = mkdtempSync(`${tmpdir()}/edgecrew-webhooks-`);
const project = { cwd: fileURLToPath(new URL("../..", import.meta.url)), persistTo };
const received: Received[] = [];
let receiver: Server;
let address: string;
let dev: WranglerDev;
let client: EdgecrewClient;

beforeAll(async () => {
  receiver = createServer((request, response) => {
    void (async () => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      const path = request.url ?? "";
      received.push({ path, headers: request.headers, body: Buffer.concat(parts).toString() });
      if (path === "/hangs") return; // and never answers
      const isFirst = received.filter((each) => each.path === path).length === 1;
      if (path === "/moved") response.writeHead(307, { location: `${address}/there` }).end();
      else response.writeHead(path === "/fails" && isFirst ? 500 : 204).end();
    })();
  }).listen(0, "127.0.0.1");
  await once(receiver, "listening");
  const bound = receiver.address();
  address = `http://127.0.0.1:${typeof bound === "object" ? bound?.port : ""}`;
  migrate(project);
  dev = await WranglerDev.start(project);
  client = new EdgecrewClient({ baseUrl: dev.url });
  await client.crews.put("haiku", {
    agents: { poet: { role: "Poet", goal: "Write about {topic}", backstory: "Quiet." } },
    tasks: [
      { name: "draft", description: "Write of {topic}", expectedOutput: "A line", agent: "poet" },
    ],
  });
});

afterAll(async () => {
  await dev?.kill();
  receiver?.closeAllConnections();
  receiver?.close();
  rmSync(persistTo, { recursive: true, force: true });
});

function at(path: string): Received[] {
  return received.filter((each) => each.path === path);
}

/** As wrangler.toml has it for this machine. */
function localSecret(): string {
  const toml = readFileSync(`${project.cwd}/wrangler.toml`, "utf8");
  return /EDGECREW_WEBHOOK_SECRET = "(.*)"/.exec(toml)?.[1] ?? "";
}

it("are delivered, signed, repeated and redirected, beside a hanging receiver", async () => {
  const events = ["run_completed"];
  const webhooks = ["/fails", "/moved", "/hangs"].map((path) => ({ url: address + path, events }));
  const response = await fetch(`${dev.url}/crews/haiku/kickoff`, {
    method: "POST",
    headers: { "content-type": "application/json", prefer: "wait=20" },
    body: JSON.stringify({ id: "told", inputs: { topic: "rain" }, webhooks }),
  });
  expect(await response.json()).toMatchObject({ id: "told", status: "completed" });
  await expect.poll(() => at("/there").length, { timeout: 10_000 }).toBe(1);
  await expect.poll(() => at("/fails").length, { timeout: 10_000 }).toBe(2);
  expect(at("/hangs")).toHaveLength(1);
  const verifier = new Webhook(localSecret());
  for (const { body, headers } of [...at("/there"), ...at("/fails")])
    expect(verifier.verify(body, headers as Record<string, string>)).toMatchObject({
      type: "run_completed",
      runId: "told",
    });
  expect(new Set(at("/fails").map(({ headers }) => headers["webhook-id"])).size).toBe(1);
});

it("notify a frontend of CrewAI's hosted API", async () => {
  const api = `${dev.url}/compat/haiku`;
  const kickoff = await fetch(`${api}/kickoff`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      inputs: { topic: "snow" },
      taskWebhookUrl: `${address}/task`,
      crewWebhookUrl: `${address}/crew`,
    }),
  });
  const { kickoff_id: id } = (await kickoff.json()) as { kickoff_id: string };
  await expect.poll(() => at("/crew").length, { timeout: 20_000 }).toBe(1);
  const status = (await (await fetch(`${api}/status/${id}`)).json()) as Record<string, unknown>;
  const { state, ...shown } = status;
  expect(state).toBe("SUCCESS");
  expect(JSON.parse(at("/crew")[0]?.body ?? "")).toEqual({
    kickoff_id: id,
    ...shown,
    seq: expect.any(Number),
  });
  expect(JSON.parse(at("/task")[0]?.body ?? "")).toMatchObject({
    kickoff_id: id,
    task_id: "draft",
    agent: "Poet",
  });
});
