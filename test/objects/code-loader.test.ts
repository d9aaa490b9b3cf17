// Code in real isolates of the local runtime. An endless loop is never tested: this runtime knows no limit of computing time.
import { describe, expect, it } from "vitest";
import type { CodeResult, CodeTools } from "../../src/code/code-runner.ts";
import { isolated as run } from "./support/isolated.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const textsOf = ({ files }: CodeResult): Record<string, string> =>
  Object.fromEntries(files.map((file) => [file.path, new TextDecoder().decode(file.bytes)]));

describe("code in an isolate", () => {
  it("prints, and gives a value back (CX1)", async () => {
    const result = await run(
      "console.log('hi', {a:1}, [1,2]); console.error('bad'); return input.n * 2",
      { input: { n: 3 } },
    );
    expect(result).toMatchObject({
      exitCode: 0,
      stdout: "hi { a: 1 } [ 1, 2 ]\n",
      stderr: "bad\n",
      value: 6,
    });
  });

  it("ends where it exits (CX2)", async () => {
    const result = await run("console.log('x'); process.exit(3); console.log('never')");
    expect(result).toMatchObject({ exitCode: 3, stdout: "x\n", stderr: "" });
  });

  it("keeps the first exit code when the code catches the exit (CX3)", async () => {
    const result = await run("try { process.exit(4) } catch {} console.log('went on')");
    expect(result).toMatchObject({ exitCode: 4, stdout: "went on\n" });
  });

  it("LDR2: gives the place of an error in the lines of the code only (CX4)", async () => {
    const result = await run("const a = 1;\nthrow new TypeError('boom')");
    expect(result.exitCode).toBe(1);
    expect(result.stderr).toMatch(/^TypeError: boom\n/);
    expect(result.stderr).toContain("user.js:2:7");
    expect(result.stderr).not.toContain("main.js");
    expect((await run("throw new Error('at once')")).stderr).toContain("user.js:1:7");
  });

  it("fails for an unhandled rejection (CX5)", async () => {
    const result = await run("Promise.reject(new Error('later')); console.log('ok')");
    expect(result).toMatchObject({ exitCode: 1, stdout: "ok\n" });
    expect(result.stderr).toContain("Error: later");
  });

  it("hands files in and out, the changed ones alone (CX6)", async () => {
    const result = await run(
      `import fs from 'node:fs';
       const text = fs.readFileSync('in.txt', 'utf8');
       fs.writeFileSync('out.txt', text.toUpperCase());
       fs.mkdirSync('d'); fs.writeFileSync('d/x.csv', '1');`,
      { files: { "in.txt": bytes("abc") } },
    );
    expect(result).toMatchObject({ exitCode: 0, stderr: "" });
    expect(textsOf(result)).toEqual({ "out.txt": "ABC", "d/x.csv": "1" });
  });

  it("hands files in and out under any names, the changed ones alone", async () => {
    const result = await run(
      `const fs = require('fs');
       const text = fs.readFileSync('für mich.txt', 'utf8');
       fs.mkdirSync('日本'); fs.writeFileSync('日本/a b 😀.txt', text); fs.writeFileSync('50%.txt', text);`,
      { files: { "für mich.txt": bytes("abc") } },
    );
    expect(result).toMatchObject({ exitCode: 0, stderr: "" });
    expect(textsOf(result)).toEqual({ "日本/a b 😀.txt": "abc", "50%.txt": "abc" });
  });

  it("keeps the beginning of long output (CX7)", async () => {
    const result = await run("for (let i = 0; i < 300; i++) console.log('0123456789')", {
      maxOutputChars: 100,
    });
    expect(result.stdout).toHaveLength(100);
    expect(result.truncatedChars).toBe(3200);
  });

  it("runs a module, whose default export is the value (CX8)", async () => {
    const result = await run(
      "import { readFileSync } from 'node:fs';\nconsole.log(typeof readFileSync);\nexport default 7",
    );
    expect(result).toMatchObject({ exitCode: 0, stdout: "function\n", value: 7 });
  });

  it("calls a function exported by a module (CX9)", async () => {
    const result = await run(
      "export default async (i) => { await new Promise(r => setTimeout(r, 5)); return i.n }",
      { input: { n: 3 } },
    );
    expect(result.value).toBe(3);
  });

  it("runs TypeScript (CX10)", async () => {
    const result = await run(
      "interface A { n: number }\nenum E { X = 5 }\nconst a = input as A;\nreturn a.n + E.X",
      { language: "typescript", input: { n: 3 } },
    );
    expect(result).toMatchObject({ exitCode: 0, value: 8, stderr: "" });
    const faulty = await run("const a: = 2", { language: "typescript" });
    expect(faulty).toMatchObject({ exitCode: 1, error: "syntax" });
    expect(faulty.stderr).toMatch(/^SyntaxError: .*\(1:\d+\)/);
  });

  it("calls tools (CX11)", async () => {
    const calls: string[] = [];
    const tools: CodeTools = {
      call: async (name, input) => {
        calls.push(`${name} ${input}`);
        return name === "fail"
          ? { ok: false, message: "not today" }
          : { ok: true, value: JSON.stringify({ found: calls.length }) };
      },
    };
    const result = await run(
      "return [await tools.search({q:1}), ...await Promise.all([tools.search({q:2}), tools.look()]), await tools.fail().catch((e) => e.message)]",
      { tools },
    );
    expect(result.value).toEqual([{ found: 1 }, { found: 2 }, { found: 3 }, "not today"]);
    expect(calls).toEqual(['search {"q":1}', 'search {"q":2}', "look {}", "fail {}"]);
  });

  it("gives the place of a syntax error (CX12)", async () => {
    const result = await run("const a = 1;\nconst = 2");
    expect(result).toMatchObject({ exitCode: 1, error: "syntax" });
    expect(result.stderr).toContain("SyntaxError");
    expect(result.stderr).toContain("user.js:2:6");
  });

  it("reports the reason of a missing value (CX13)", async () => {
    const circular = await run("const a = {}; a.a = a; return a");
    expect(circular).toMatchObject({ exitCode: 0 });
    expect(circular.value).toBeUndefined();
    expect(circular.stderr).toMatch(/cannot be given back: .*circular/i);
    const big = await run("return 5n");
    expect(big).toMatchObject({ exitCode: 0 });
    expect(big.stderr).toMatch(/cannot be given back: .*BigInt/);
  });

  it("knows no packages (CX14)", async () => {
    const result = await run("await import('lodash')");
    expect(result.exitCode).toBe(1);
    expect(result.stderr).toContain('No such module "lodash".');
  });

  it("tries the other form when the first is not well formed (CX15)", async () => {
    const result = await run("const s = `\nimport x`; return s.length");
    expect(result).toMatchObject({ exitCode: 0, value: 9 });
  });

  it("LDR1: has no network, no evaluation of texts and no variables (CX16)", async () => {
    const result = await run("await fetch('http://example.com')");
    expect(result.exitCode).toBe(1);
    expect(result.stderr).toContain("not permitted to access the internet");
    expect((await run("eval('1')")).stderr).toContain("EvalError");
    expect((await run("return Object.keys(process.env)")).value).toEqual([]);
  });

  it("reaches its allowed hosts only, through the Worker", async () => {
    const seen: string[] = [];
    const send: typeof fetch = async (input, init) => {
      const request = new Request(input, init);
      seen.push(`${request.method} ${request.url} ${await request.text()}`);
      return request.url.endsWith("/away")
        ? new Response(null, { status: 302, headers: { location: "https://evil.example/" } })
        : new Response("answered", { headers: { "x-count": String(seen.length) } });
    };
    const code = `const all = [];
      for (const [url, init] of [
        ["https://api.example.com/a", { method: "POST", body: "sent" }],
        [new Request("https://b.example.org/")],
        ["https://evil.example/"],
        ["https://api.example.com/away"],
        ["http://169.254.169.254/latest"],
      ]) { const r = await fetch(url, init); all.push([r.status, r.headers.get("x-count"), (await r.text()).slice(0, 8)]) }
      return all`;
    const network = { hosts: ["api.example.com", "*.example.org"] };
    const result = await run(code, { network, send });
    expect(result.stderr).toBe("");
    expect(result.value).toEqual([
      [200, "1", "answered"],
      [200, "2", "answered"],
      [403, null, "the addr"],
      [403, null, "the addr"],
      [403, null, "the addr"],
    ]);
    expect(seen).toEqual([
      "POST https://api.example.com/a sent",
      "GET https://b.example.org/ ",
      "GET https://api.example.com/away ",
    ]);
    const many = await run(
      "let n = 0; for (let i = 0; i < 55; i++) n += (await fetch('https://api.example.com/')).ok ? 1 : 0; return n",
      { network, send },
    );
    expect(many.value).toBe(50);
  });

  it("gives no file back through a link (CX17)", async () => {
    const result = await run(
      "const fs = require('fs'); fs.symlinkSync('/bundle/main.js', 'harness.js'); fs.writeFileSync('a', '1')",
    );
    expect(result.stderr).toBe("");
    expect(textsOf(result)).toEqual({ a: "1" });
  });

  it("LDR3: ends endless code, with its output so far (CX18)", async () => {
    const result = await run("console.log('begun'); await new Promise(() => {})", {
      timeoutMs: 300,
    });
    expect(result).toMatchObject({ exitCode: 124, error: "timeout", stdout: "begun\n" });
  });
});
