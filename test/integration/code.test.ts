// Code in a real `wrangler dev`: printed, given back, kept from the network, and begun again when the process dies.
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EdgecrewClient } from "../../src/client/index.ts";
import { migrate, WranglerDev } from "../support/wrangler-dev.ts";

const cwd = fileURLToPath(new URL(".", import.meta.url));
const persistTo = mkdtempSync(`${tmpdir()}/edgecrew-code-`);
const asked: string[] = [];

let server: Server;
let host: string;
let dev: WranglerDev;

const start = (): Promise<WranglerDev> =>
  WranglerDev.start({ cwd, config: "code.toml", persistTo, vars: { TEST_HOST: host } });

/** What a piece of code came to. */
async function coded(code: string, agent = "coder"): Promise<string> {
  const client = new EdgecrewClient({ baseUrl: dev.url });
  const run = await client.agents.kickoff(agent, code);
  return ((await run.output()) as { readonly raw: string }).raw;
}

beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    if (request.url === "/away") response.writeHead(302, { location: "http://localhost:1/" }).end();
    else response.end("answered");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  migrate({ cwd, config: "code.toml", persistTo });
  dev = await start();
});

afterAll(async () => {
  await dev.kill();
  server.close();
  rmSync(persistTo, { recursive: true, force: true });
});

describe("code of an agent", () => {
  it("prints, gives a value back and writes files (CX1, CX6)", async () => {
    const raw = await coded(
      "console.log('hi'); require('fs').writeFileSync('a.csv', 'x,y'); return 6 * 7",
    );
    expect(raw).toContain("hi\nValue: 42\nFiles: a.csv (3 bytes)");
  });

  it("reaches no network without permission (CX16)", async () => {
    const raw = await coded(`return (await fetch('http://${host}/closed')).status`);
    expect(raw).toContain("not permitted to access the internet");
    const other = await coded(
      `const r = await fetch('http://localhost:1/'); return [r.status, await r.text()]`,
      "online",
    );
    expect(other).toContain("Value: [403,");
    expect(other).toContain("must be of a host that is allowed");
    const away = await coded(`return (await fetch('http://${host}/away')).status`, "online");
    expect(away).toContain("Value: 403");
    expect(asked).toEqual(["GET /away"]);
  });

  it("reaches its allowed hosts", async () => {
    const raw = await coded(
      `const r = await fetch('http://${host}/open', { method: 'POST', body: 'x' }); return await r.text()`,
      "online",
    );
    expect(raw).toContain('Value: "answered"');
    expect(asked).toContain("POST /open");
  });

  it("has no sockets, also when it is allowed some hosts", async () => {
    const [name = "", port = ""] = host.split(":");
    const raw = await coded(
      `const { connect } = await import('cloudflare:sockets'); const s = connect({ hostname: '${name}', port: ${port} }); await s.opened; return 'open'`,
      "online",
    );
    expect(raw).not.toContain('Value: "open"');
    expect(raw).toContain("[exit code: 1]");
  });
});

describe("code of a conversation", () => {
  it("is run by the member with AG2's setting (CX26)", async () => {
    const client = new EdgecrewClient({ baseUrl: dev.url });
    await client.conversations.put("sums", {
      agents: {
        user: {
          llm: false,
          code_execution_config: {
            last_n_messages: "auto",
            work_dir: "coding",
            use_docker: false,
            timeout: 30,
          },
        },
        writer: { llm: "test/writer" },
      },
      pattern: { kind: "round_robin", initial_agent: "writer" },
      max_rounds: 5,
    });
    const run = await client.conversations.kickoff("sums", {
      message: "What is six times seven?",
    });
    const { messages } = (await run.output()) as unknown as {
      readonly messages: readonly { readonly name: string; readonly content: string }[];
    };
    expect(messages.map(({ name, content }) => `${name}: ${content}`)).toContain(
      "user: exitcode: 0 (execution succeeded)\nCode output: 42\n",
    );
  });
});

describe("a Worker that dies", () => {
  it("runs pure code again, and goes on by itself (CX21)", async () => {
    const client = new EdgecrewClient({ baseUrl: dev.url });
    const run = await client.agents.kickoff(
      "coder",
      "await new Promise((r) => setTimeout(r, 3_000)); return 'after all'",
    );
    await expect
      .poll(async () => (await run.journal()).items.map(({ key }) => key), { timeout: 10_000 })
      .toContain("turn:1/tool:run_code#0");
    await dev.kill();
    dev = await start();
    const again = new EdgecrewClient({ baseUrl: dev.url }).runs.handle(run.id);
    expect(((await again.output()) as { raw: string }).raw).toContain('Value: "after all"');
    const { items } = await again.journal();
    const step = items.find(({ key }) => key.endsWith("tool:run_code#0"));
    expect(step).toMatchObject({ state: "done", attempt: 2 });
  });
});
