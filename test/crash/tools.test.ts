// Kills a real `wrangler dev` while a tool works: while a search is asked, a webhook is posted, a job of somebody else's is begun or
// waited for, code runs, and a file is on its way to a provider or to the Worker.
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startModelServer, type ServedReply, type ServedRequest } from "../support/model-server.ts";
import { pdfBytes } from "../support/sample-files.ts";
import { migrate, WranglerDev } from "../support/wrangler-dev.ts";

/** How long the services take, in milliseconds: the kill comes in the middle. */
const SERVICE_MS = 600;
const BEFORE_KILL_MS = 250;

type Seen = { readonly method: string; readonly path: string; readonly id: string };
type ToolFailure = { readonly code: string; readonly message: string };

const seen: Seen[] = [];
let models: Awaited<ReturnType<typeof startModelServer>>;
let outside: { readonly server: Server; readonly url: string };
let dev: WranglerDev;
const persistTo = mkdtempSync(`${tmpdir()}/edgecrew-tools-`);
const project = { cwd: fileURLToPath(new URL(".", import.meta.url)), persistTo };

beforeAll(async () => {
  models = await startModelServer({ reply: script });
  outside = await startServices();
  migrate(project);
  dev = await start();
});
beforeEach(() => void seen.splice(0));

afterAll(async () => {
  await dev.kill();
  await models.stop();
  outside.server.close();
  rmSync(persistTo, { recursive: true, force: true });
  rmSync(`${project.cwd}/.wrangler`, { recursive: true, force: true });
});

describe("DC1: a tool killed in its call", () => {
  it("asks again, when it only reads", async () => {
    await kickoff("search");
    await killDuring("GET /search");
    expect((await ended("search")).raw).toContain("All about tea");
    expect(count("GET /search")).toBe(2);
  });

  it("posts again under one id, by which its receiver drops repeats", async () => {
    await kickoff("post");
    await killDuring("POST /hook");
    expect((await ended("post")).raw).toContain("Delivered (200)");
    expect(count("POST /hook")).toBe(2);
    expect(new Set(seen.map(({ id }) => id)).size).toBe(1);
  });

  it("begins no second job when the first may have begun", async () => {
    await kickoff("begin");
    await killDuring("POST /crew/kickoff");
    const { raw, failures } = await ended("begin");
    expect(raw).toContain("Do not repeat the call");
    expect(failures).toMatchObject([{ code: "outcome_unknown" }]);
    expect(count("POST /crew/kickoff")).toBe(1);
  });

  it("still waits for its started job", async () => {
    await kickoff("wait");
    await killDuring("GET /crew/status/7");
    expect((await ended("wait")).raw).toContain("The other crew's words.");
    expect(count("POST /crew/kickoff")).toBe(1);
  });

  it("runs code in an isolate again", async () => {
    await kickoff("code");
    await called("code:", 1); // the model has written it
    await kill(BEFORE_KILL_MS);
    expect((await ended("code")).raw).toContain("42");
  });
});

describe("DC1: a file in transit", () => {
  it("is uploaded to a provider again when its arrival is unknown, and not afterwards", async () => {
    const id = await stored(pdfBytes(2, { padding: 6 * 1024 * 1024 }));
    await kickoff("unused", { crew: "reading", id: "reading-1", inputFiles: { report: id } });
    await until(() => models.files.uploads.length > 0, "the file was not uploaded");
    await kill(0);
    expect((await ended("reading-1")).raw).toBe("It was read.");
    const uploads = models.files.uploads.length;
    expect(uploads).toBeLessThanOrEqual(2);
    await kickoff("unused", { crew: "reading", id: "reading-2", inputFiles: { report: id } });
    expect((await ended("reading-2")).raw).toBe("It was read.");
    expect(models.files.uploads.length).toBe(uploads);
  });

  it("is not there when the Worker dies before all of it came", async () => {
    const before = await listed();
    const { hostname, port } = new URL(dev.url);
    const socket = connect(Number(port), hostname);
    socket.on("error", () => undefined); // it is cut
    socket.write(
      `POST /files?name=half.bin HTTP/1.1\r\nHost: ${hostname}\r\nContent-Length: 4000000\r\n\r\n`,
    );
    socket.write(Buffer.alloc(2_000_000));
    await kill(BEFORE_KILL_MS);
    expect(await listed()).toEqual(before);
  });
});

function start(): Promise<WranglerDev> {
  return WranglerDev.start({
    ...project,
    vars: {
      OPENAI_BASE_URL: `${models.url}/v1`,
      OPENAI_API_KEY: "test",
      OUTSIDE_URL: outside.url,
      SEARCH_URL: `${outside.url}/search`,
      HOOK_URL: `${outside.url}/hook`,
      CREW_URL: `${outside.url}/crew`,
      CREW_BEARER_TOKEN: "token-of-the-other-crew",
      WEBHOOK_SECRET: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    },
  });
}

async function kill(delayMs: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, delayMs));
  await dev.kill();
  dev = await start();
}

/** Kills the Worker while a service is about to answer, and starts it again. */
async function killDuring(request: string): Promise<void> {
  await until(() => count(request) > 0, `${request} was not asked`);
  await kill(BEFORE_KILL_MS);
}

const count = (request: string): number =>
  seen.filter(({ method, path }) => `${method} ${path}` === request).length;

const called = (errand: string, times: number): Promise<void> =>
  until(
    () =>
      models.calls.filter((call) => JSON.stringify(call.messages).includes(errand)).length >= times,
    `no model was asked for ${errand}`,
  );

async function until(isSo: () => boolean, otherwise: string): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (!isSo() && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 10));
  expect(isSo(), `${otherwise}; seen: ${JSON.stringify(seen)}`).toBe(true);
}

/** The first call of the model is for the tool of the errand, the second one repeats what the tool said. */
function script({ messages, body, dialect }: ServedRequest): ServedReply {
  if (dialect === "responses") return { text: "It was read.", delayMs: SERVICE_MS };
  const last = messages.at(-1);
  if (last?.role === "tool") return { text: String(last.content) };
  const errand = /Do this: (\w+):/.exec(JSON.stringify(body))?.[1] ?? "";
  const crew = { name: "invoke_amp_automation", arguments: { prompt: "Write" } };
  const calls: Readonly<Record<string, { name: string; arguments: object }>> = {
    search: { name: "searxng_search", arguments: { query: "tea" } },
    post: { name: "webhook_post", arguments: { body: { leaf: 1 } } },
    begin: crew,
    wait: crew,
    code: {
      name: "run_code",
      arguments: { code: "await new Promise((go) => setTimeout(go, 800)); return 6 * 7" },
    },
  };
  return { toolCalls: [calls[errand] ?? { name: "none", arguments: {} }] };
}

async function startServices(): Promise<typeof outside> {
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? "/", "http://x").pathname;
    seen.push({ method: request.method ?? "", path, id: idOf(request) });
    request.resume();
    const answers: Readonly<Record<string, object>> = {
      "/search": { results: [{ title: "All about tea", url: "https://tea.example" }] },
      "/hook": { taken: true },
      "/crew/kickoff": { kickoff_id: "7" },
      "/crew/status/7":
        count("GET /crew/status/7") < 2
          ? { state: "RUNNING" }
          : { state: "SUCCESS", result: "The other crew's words." },
    };
    const delayMs = path === "/crew/kickoff" && isWaiting() ? 0 : SERVICE_MS;
    setTimeout(() => {
      response.writeHead(path in answers ? 200 : 404, { "content-type": "application/json" });
      response.end(JSON.stringify(answers[path] ?? {}));
    }, delayMs);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const idOf = ({ headers }: IncomingMessage): string => String(headers["webhook-id"] ?? "");

/** Whether the run that waits for a job is the last that was begun. */
const isWaiting = (): boolean => JSON.stringify(models.calls.at(-1)?.messages).includes("wait:");

async function kickoff(
  errand: string,
  { crew = "errands", id = `errand-${errand}`, inputFiles = {} } = {},
): Promise<void> {
  const response = await fetch(`${dev.url}/crews/${crew}/kickoff`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ id, inputs: { errand: `${errand}: now` }, inputFiles }),
  });
  expect([response.status, await response.text()]).toEqual([202, expect.any(String)]);
}

async function ended(name: string) {
  const id = name.startsWith("reading") ? name : `errand-${name}`;
  const response = await fetch(`${dev.url}/runs/${id}`, { headers: { prefer: "wait=60" } });
  const run = (await response.json()) as { status: string; output: { raw: string } };
  expect(run).toMatchObject({ status: "completed" });
  const stream = await (await fetch(`${dev.url}/runs/${id}/events`)).text();
  const failures = Array.from(
    stream.matchAll(/^data: (.*)$/gm),
    ([, data = ""]) => JSON.parse(data) as { type: string; failure?: ToolFailure },
  ).flatMap(({ type, failure }) =>
    type === "tool_failure_detected" && failure !== undefined ? [failure] : [],
  );
  return { raw: run.output.raw, failures };
}

async function stored(bytes: Uint8Array): Promise<string> {
  const response = await fetch(`${dev.url}/files?name=report.pdf`, {
    method: "POST",
    body: bytes as never,
  });
  expect(response.status).toBe(201);
  return ((await response.json()) as { id: string }).id;
}

async function listed(): Promise<readonly string[]> {
  const { items } = (await (await fetch(`${dev.url}/files`)).json()) as {
    items: readonly { readonly id: string }[];
  };
  return items.map(({ id }) => id);
}
