// The client as one file, on a platform that has next to nothing, and in a process of its own.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createContext, runInContext } from "node:vm";
import { build } from "esbuild";
import { beforeAll, expect, it } from "vitest";
import type {
  createClient as CreateClient,
  LiveEvent,
  RunEvent,
} from "../../../src/client/index.ts";
import { askingScript, HttpWorld } from "../../support/http-app.ts";

const root = new URL("../../..", import.meta.url).pathname;

let script = "";

beforeAll(async () => {
  const { outputFiles } = await build({
    stdin: { contents: 'export * from "./src/client/index.ts"', resolveDir: root, loader: "ts" },
    bundle: true,
    format: "iife",
    globalName: "edgecrew",
    platform: "browser",
    target: "es2022",
    write: false,
  });
  script = outputFiles[0]?.text ?? "";
});

/** What React Native makes of an answer: all of it at once, without a stream. */
async function phoneAnswer(response: Response): Promise<object> {
  const text = await response.text();
  const { status, ok, statusText, headers } = response;
  const json = (): Promise<unknown> => Promise.resolve(JSON.parse(text));
  return { status, ok, statusText, headers, text: () => Promise.resolve(text), json };
}

it("HTC4: kickoff, following and answering need no streams, no crypto and no TextDecoder (CC6)", async () => {
  const world = new HttpWorld({ script: askingScript() });
  const accepted: (string | null)[] = [];
  const place = createContext({
    AbortController,
    setTimeout,
    clearTimeout,
    fetch: async (url: string, sent: RequestInit) => {
      const init = { ...sent };
      delete init.signal; // of another realm
      accepted.push(new Headers(init.headers).get("accept"));
      return phoneAnswer(await world.app.request(url, init));
    },
  });
  runInContext(script, place);
  const { createClient } = runInContext("edgecrew", place) as { createClient: typeof CreateClient };
  const client = createClient({ url: "http://crews.test", clock: world.clock });
  const run = await client.crews.kickoff("briefing", { inputs: { topic: "tea" } });
  expect(run.id).toMatch(/^[0-9a-f]{32}$/);
  const seen: Array<RunEvent | LiveEvent> = [];
  const done = (async () => {
    for await (const event of run.events()) seen.push(event);
  })();
  await world.clock.advance(1_000);
  expect(seen.at(-1)?.type).toBe("run_waiting");
  const store = client.runs.store(run);
  store.subscribe(() => undefined);
  await world.clock.advance(1_000);
  await store.answer(store.get().waits[0]?.key ?? "", { feedback: "yes" });
  await world.clock.advance(5_000);
  await done;
  expect(seen.at(-1)?.type).toBe("run_completed");
  expect(store.get()).toMatchObject({ status: "completed", connection: "ended" });
  expect(await run.output()).toMatchObject({ raw: expect.any(String) as string });
  expect(new Set(accepted)).toEqual(new Set(["application/json"]));
  store.close();
});

it("a process ends by itself once it has left its runs (CC7)", async () => {
  const open = new Set<unknown>();
  const server = createServer((request, response) => {
    const isStream = request.url?.includes("/events") === true;
    if (!isStream) {
      response.writeHead(request.method === "POST" ? 202 : 200, {
        "content-type": "application/json",
      });
      response.end('{"id":"r","waits":[]}');
      return;
    }
    open.add(response);
    response.on("close", () => open.delete(response));
    response.writeHead(200, { "content-type": "text/event-stream" });
    const event = { seq: 1, type: "run_started", kind: "crew", name: "c", at: "" };
    response.write(`data: ${JSON.stringify(event)}\n\n`);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const program = `${script}
    const client = edgecrew.createClient({ url: "http://127.0.0.1:${port}" });
    (async () => {
      const run = await client.crews.kickoff("c");
      for await (const _ of run.events()) break;
      const leaving = new AbortController();
      for await (const _ of run.events({ signal: leaving.signal })) leaving.abort();
      const store = client.runs.store(run);
      await new Promise((resolve) => store.subscribe(() => store.get().lastSeq === 1 && resolve()));
      store.close();
      console.log("left");
    })();`;
  const child = spawn(process.execPath, ["--input-type=commonjs", "-"]);
  let said = "";
  child.stdout.on("data", (data: Buffer) => (said += data.toString()));
  child.stderr.on("data", (data: Buffer) => (said += data.toString()));
  child.stdin.end(program);
  const [code] = (await Promise.race([
    once(child, "exit"),
    new Promise((resolve) => setTimeout(() => resolve(["still there"]), 15_000)),
  ])) as unknown[];
  child.kill();
  server.closeAllConnections();
  server.close();
  expect([code, said]).toEqual([0, "left\n"]);
  await expect.poll(() => open.size).toBe(0);
});

it("a process ends by itself after it has followed a waiting run over a web socket and left it (CC7)", async () => {
  const sockets = new Set<object>();
  const server = createServer((request, response) => {
    const isStream = request.url?.includes("/events") === true;
    response.writeHead(200, {
      "content-type": isStream ? "text/event-stream" : "application/json",
    });
    if (!isStream) return response.end('{"id":"r","waits":[]}');
    for (const [at, type] of ["run_started", "run_waiting"].entries())
      response.write(`data: ${JSON.stringify({ seq: at + 1, type, at: "" })}\n\n`);
    return undefined;
  });
  server.on("upgrade", (request, socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => undefined); // a process that has ended resets what it had open
    const key = `${String(request.headers["sec-websocket-key"])}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
    const accept = createHash("sha1").update(key).digest("base64");
    const head = ["HTTP/1.1 101 Switching Protocols", "upgrade: websocket", "connection: upgrade"];
    socket.write([...head, `sec-websocket-accept: ${accept}`, "", ""].join("\r\n"));
    socket.on("data", () => socket.end(Buffer.from([0x88, 0]))); // the only thing that is said is a goodbye
    socket.on("end", () => socket.end()); // left before it opened: Node keeps half of such a socket open
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const program = `${script}
    let opened = 0;
    class Counted extends WebSocket { constructor(...of) { super(...of); opened++; } }
    const client = edgecrew.createClient({ url: "http://127.0.0.1:${port}", webSocket: Counted });
    (async () => {
      const leaving = new AbortController();
      const seen = [];
      setInterval(() => opened > 0 && leaving.abort(), 50).unref();
      for await (const { type } of client.runs.handle("r").events({ signal: leaving.signal })) seen.push(type);
      const store = client.runs.store("r");
      store.subscribe(() => undefined);
      while (opened < 2) await new Promise((resolve) => setTimeout(resolve, 20));
      store.close();
      console.log(seen.join() + " left");
    })();`;
  const child = spawn(process.execPath, ["--input-type=commonjs", "-"]);
  let said = "";
  child.stdout.on("data", (data: Buffer) => (said += data.toString()));
  child.stderr.on("data", (data: Buffer) => (said += data.toString()));
  child.stdin.end(program);
  const [code] = (await Promise.race([
    once(child, "exit"),
    new Promise((resolve) => setTimeout(() => resolve(["still there"]), 20_000)),
  ])) as unknown[];
  child.kill();
  server.closeAllConnections();
  server.close();
  expect([code, said]).toEqual([0, "run_started,run_waiting left\n"]);
  await expect.poll(() => sockets.size).toBe(0);
});
