// Files over real connections: clients that go away in the middle, and bytes in both directions.
import { createHash, randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { afterAll, beforeAll, expect, it } from "vitest";
import { writePagesApp } from "../support/pages-app.ts";
import { migrate, WranglerDev } from "../support/wrangler-dev.ts";

const temporary = mkdtempSync(`${tmpdir()}/edgecrew-files-`);
let dev: WranglerDev;

beforeAll(async () => {
  const cwd = writePagesApp(["docs/files-api.md"]);
  const project = { cwd, persistTo: temporary };
  migrate(project);
  dev = await WranglerDev.start(project);
}, 120_000);

afterAll(async () => {
  await dev.kill();
  rmSync(temporary, { recursive: true, force: true });
});

const listed = async (): Promise<readonly { id: string }[]> => {
  const answer = (await (await fetch(`${dev.url}/files`)).json()) as { items: { id: string }[] };
  return answer.items;
};

const chunk = (bytes: number): Buffer =>
  Buffer.concat([
    Buffer.from(`${bytes.toString(16)}\r\n`),
    Buffer.alloc(bytes, 7),
    Buffer.from("\r\n"),
  ]);

/** Sends the beginning of a request, and goes away once the other side has had time to take it. */
async function sendAndGo(
  head: readonly string[],
  pieces: readonly Buffer[],
  go: (socket: Socket) => void,
): Promise<void> {
  const { port, hostname } = new URL(dev.url);
  const socket = connect({ port: Number(port), host: hostname });
  socket.on("error", () => undefined);
  socket.write(`${["POST /files HTTP/1.1", "Host: localhost", ...head].join("\r\n")}\r\n\r\n`);
  for (const piece of pieces) socket.write(piece);
  setTimeout(() => go(socket), 500);
  socket.resume();
  await new Promise((resolve) => socket.once("close", resolve));
}

it.each([
  ["chunked, by ending the connection", ["Transfer-Encoding: chunked"], [chunk(1_000_000)], "end"],
  [
    "chunked, by breaking it",
    ["Transfer-Encoding: chunked"],
    [chunk(900_000), chunk(100)],
    "destroy",
  ],
  [
    "after several parts",
    ["Transfer-Encoding: chunked"],
    Array.from({ length: 20 }, () => chunk(1_000_000)),
    "destroy",
  ],
  ["with a length, by ending it", ["Content-Length: 2000000"], [Buffer.alloc(1_000_000)], "end"],
] as const)("FLB1: does not store a truncated file: %s", async (...[, head, pieces, how]) => {
  await sendAndGo(head, pieces, (socket) => void socket[how]());
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(await listed()).toEqual([]);
});

it("files of tens of megabytes go there and back, whole and in pieces", async () => {
  const bytes = randomBytes(40_000_000);
  const stored = await fetch(`${dev.url}/files?name=large.bin`, { method: "POST", body: bytes });
  const file = (await stored.json()) as { id: string; sha256: string };
  expect([stored.status, file.sha256]).toEqual([
    201,
    createHash("sha256").update(bytes).digest("hex"),
  ]);
  const content = `${dev.url}/files/${file.id}/content`;
  const whole = await fetch(content);
  expect(whole.headers.get("content-length")).toBe("40000000");
  expect(Buffer.compare(Buffer.from(await whole.arrayBuffer()), bytes)).toBe(0);
  const piece = await fetch(content, { headers: { range: "bytes=30000000-30000999" } });
  expect(piece.status).toBe(206);
  expect(
    Buffer.compare(Buffer.from(await piece.arrayBuffer()), bytes.subarray(30_000_000, 30_001_000)),
  ).toBe(0);
  expect((await fetch(`${dev.url}/files/${file.id}`, { method: "DELETE" })).status).toBe(204);
});
