// A conversation that is stored as YAML, on `wrangler dev`: its mistakes, its people, its stream.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { EdgecrewClient } from "../../src/client/index.ts";
import { migrate, WranglerDev } from "../support/wrangler-dev.ts";

const cwd = fileURLToPath(new URL("../..", import.meta.url));
const persistTo = mkdtempSync(`${tmpdir()}/edgecrew-conversations-`);
const project = { cwd, persistTo };
let dev: WranglerDev | undefined;
let client: EdgecrewClient;

beforeAll(async () => {
  migrate(project);
  dev = await WranglerDev.start({ ...project, vars: { MODEL: "offline/demo" } });
  client = new EdgecrewClient({ baseUrl: dev.url });
}, 120_000);

afterAll(async () => {
  await dev?.kill();
  rmSync(persistTo, { recursive: true, force: true });
});

const put = (name: string, body: string): Promise<Response> =>
  fetch(`${dev?.url}/conversations/${name}`, {
    method: "PUT",
    body,
    headers: { "content-type": "application/yaml" },
  });

const YAML = `agents:
  triage:
    system_message: You sort incidents.
    handoffs:
      - { to: expert, when: "\${severity} == 'high'" }
    after_work: ana
  expert: { system_message: You find the cause., after_work: ana }
  ana: { human: true, after_work: terminate }
context_variables: { severity: low }
`;

it("is stored, asks a person, reports the question live, and ends with the answer", async () => {
  const wrong = await put("incident", YAML.replace("== 'high'", "= 'high'"));
  expect(wrong.status).toBe(400);
  expect(await wrong.json()).toMatchObject({
    code: "invalid_definition",
    errors: [
      {
        path: "/agents/triage/handoffs/0/when",
        message: expect.stringMatching(/^body\.yaml:5:\d+: .*column/),
      },
    ],
  });
  expect((await put("incident", YAML)).status).toBe(201);

  const stream = await fetch(`${dev?.url}/conversations/incident/kickoff`, {
    method: "POST",
    body: JSON.stringify({ id: "c-1", message: "The shop is slow since nine." }),
    headers: { "content-type": "application/json", accept: "text/event-stream" },
  });
  const events = await stream.text(); // ends when the run waits
  expect(events).toMatch(/event: chat_message_sent\n/);
  expect(events).toMatch(/event: run_waiting\n/);

  await expect
    .poll(async () => (await (await fetch(`${dev?.url}/waits`)).json()) as object, {
      timeout: 15_000,
    })
    .toMatchObject({
      items: [{ data: { agent: "ana" }, run: { id: "c-1", kind: "conversation" } }],
    });
  expect((await client.conversations.messages("c-1")).items).toMatchObject([
    { name: "ana", content: "The shop is slow since nine." },
    { name: "triage" },
  ]);
  await client.runs.handle("c-1").resume({ feedback: "Restart the cache." });
  expect(await client.runs.handle("c-1").output()).toMatchObject({
    summary: "Restart the cache.",
    lastSpeaker: "ana",
    contextVariables: { severity: "low" },
    rounds: 3,
  });
  const late = await fetch(`${dev?.url}/runs/c-1/messages`, {
    method: "POST",
    body: JSON.stringify({ name: "ana", content: "And the disk." }),
    headers: { "content-type": "application/json" },
  });
  expect(late.status).toBe(409);
});

it("reviews an incident from its log, as `npm start` shows it", async () => {
  const sample = JSON.parse(
    readFileSync(`${cwd}/examples/samples/incident-review.json`, "utf8"),
  ) as {
    readonly message: string;
  };
  const run = await client.conversations.kickoff("incident-review", sample);
  await expect.poll(async () => (await run.status()).status, { timeout: 15_000 }).toBe("waiting");
  await client.conversations.say(run.id, { name: "duty", content: "Approved" });
  const output = await run.output();
  expect(output).toMatchObject({ lastSpeaker: "duty", contextVariables: { approved: true } });
  expect(JSON.stringify(output)).toContain(
    "timed out after 5000 ms waiting for a database connection",
  );
});
