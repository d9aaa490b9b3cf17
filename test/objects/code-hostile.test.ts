// Code that means no good, or knows no better. An endless loop is never tried: this runtime knows no limit of computing time.
import { describe, expect, it } from "vitest";
import { isolated } from "./support/isolated.ts";

describe("limits of code", () => {
  it.each([
    ["a request", "await fetch('https://example.com')"],
    [
      "a socket",
      "const { connect } = await import('cloudflare:sockets'); await connect('example.com:80').opened",
    ],
    [
      "a WebSocket",
      "await new Promise((_, no) => { const s = new WebSocket('wss://example.com'); s.onerror = (e) => no(new Error(e.message)); })",
    ],
    [
      "a request of Node's",
      "await new Promise((yes, no) => require('http').get('http://example.com', yes).on('error', no))",
    ],
    ["a process", "require('child_process').execSync('id')"],
    ["a function of a text", "new Function('return 1')()"],
    [
      "code in WebAssembly",
      "await WebAssembly.compile(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]))",
    ],
    [
      "itself once more",
      "const { exports } = await import('cloudflare:workers'); await exports.default.run({})",
    ],
    ["a file outside", "require('fs').readFileSync('/etc/passwd')"],
  ])("LDR1: %s", async (_, code) => {
    const result = await isolated(code);
    expect(result.exitCode).toBe(1);
    expect(result.stderr).not.toBe("");
    expect(result.value).toBeUndefined();
  });

  it("LDR1: bindings and variables of the Worker", async () => {
    const result = await isolated(
      "const { env } = await import('cloudflare:workers'); return [Object.keys(env), Object.keys(process.env), typeof caches.default, process.argv.length]",
    );
    expect(result.value).toEqual([[], [], "object", 2]);
  });

  it("LDR1: remains of earlier code", async () => {
    await isolated("globalThis.left = 1; require('fs').writeFileSync('left.txt', 'x')");
    const result = await isolated("return [typeof left, require('fs').readdirSync('.')]");
    expect(result.value).toEqual(["undefined", []]);
  });
});

describe("ends of code", () => {
  it.each([
    ["process.exit()", 0],
    ["process.exit(256 + 7)", 7],
    ["process.exit(-1)", 255],
    ["process.exit('3')", 3],
    ["process.reallyExit(9)", 9],
    ["process.abort()", 134],
    ["process.kill(process.pid)", 143],
    ["process.exitCode = 5", 5],
    ["setTimeout(() => process.exit(6), 5); await new Promise(() => {})", 6],
    ["(async () => { await null; process.exit(8) })(); await new Promise(() => {})", 8],
    ["const { exit } = await import('node:process'); exit(11)", 11],
  ])("LDR3: %s gives %i", async (code, exitCode) => {
    expect(await isolated(code)).toMatchObject({ exitCode, stderr: "" });
  });

  it("LDR3: goes on while timers and calls are pending, as a process does", async () => {
    const result = await isolated(
      "async function main() { await new Promise((r) => setTimeout(r, 20)); console.log('later'); setTimeout(() => console.log('last'), 5) }\nmain()",
    );
    expect(result).toMatchObject({ exitCode: 0, stdout: "later\nlast\n" });
    const cleared = await isolated(
      "const t = setInterval(() => { console.log('tick'); clearInterval(t) }, 1)",
    );
    expect(cleared).toMatchObject({ exitCode: 0, stdout: "tick\n" });
  });

  it("LDR3: fails for an exception in a timer", async () => {
    const result = await isolated("setTimeout(() => { throw new Error('in a timer') }, 1)");
    expect(result.exitCode).toBe(1);
    expect(result.stderr).toContain("in a timer");
  });

  it.each([
    ["null", "Uncaught null"],
    ["undefined", "Uncaught undefined"],
    ["'a text'", "Uncaught 'a text'"],
    ["Symbol('s')", "Symbol(s)"],
    ["{ message: 'x' }", "message: 'x'"],
    [
      "new Proxy({}, { get() { throw 1 }, getPrototypeOf() { throw 2 }, ownKeys() { throw 3 } })",
      "Uncaught",
    ],
    ["Object.create(null, { stack: { get() { throw 1 } } })", "Uncaught"],
  ])("LDR4: reports the thrown value: %s", async (thrown, said) => {
    const result = await isolated(`console.log('before'); throw ${thrown}`);
    expect(result).toMatchObject({ exitCode: 1, stdout: "before\n" });
    expect(result.stderr).toContain(said);
  });

  it("ends an isolate that aborts itself", async () => {
    const result = await isolated("(await import('cloudflare:workers')).abortIsolate('bye')");
    expect(result.exitCode).toBeGreaterThan(0);
  });
});

describe("results of code", () => {
  it("keeps the beginning of 100 MB of output during the run", async () => {
    const result = await isolated(
      "const line = 'x'.repeat(100_000); for (let i = 0; i < 1000; i++) console.log(line); console.error('done')",
      { maxOutputChars: 1_000 },
    );
    expect(result).toMatchObject({ exitCode: 0, truncatedChars: 100_001_000 - 1_000 });
    expect(result.stdout).toBe("x".repeat(1_000));
    expect(result.stderr).toBe("done\n");
  });

  it.each([
    ["() => 1", "it is a function"],
    ["Symbol('x')", "it is a symbol"],
    ["'x'.repeat(9_000_000)", "it is larger than"],
    ["{ toJSON() { throw new Error('no') } }", "no"],
    ["{ get a() { throw null } }", "cannot be told why"],
    ["JSON.parse('['.repeat(5000) + ']'.repeat(5000))", "nested too deeply"],
  ])("LDR4: no value for %s", async (value, why) => {
    const result = await isolated(`return ${value}`);
    expect(result.exitCode).toBe(0);
    expect(result.value).toBeUndefined();
    expect(result.stderr).toContain("The value cannot be given back: ");
    expect(result.stderr).toContain(why);
  });

  it("returns files up to its limits", async () => {
    const many = await isolated(
      "const fs = require('fs'); for (let i = 0; i < 130; i++) fs.writeFileSync('f' + i, 'x')",
    );
    expect(many.files).toHaveLength(100);
    expect(many.stderr).toContain("Files left out, as they are too many or too large: 30");
    const large = await isolated(
      "const fs = require('fs'); fs.writeFileSync('a', new Uint8Array(20_000_000)); fs.writeFileSync('b', new Uint8Array(20_000_000))",
    );
    expect(large.files.map(({ bytes }) => bytes.length)).toEqual([20_000_000]);
  });

  it.each([
    [
      "/tmp/work",
      "fs.rmSync('/tmp/work', { recursive: true }); fs.symlinkSync('/bundle', '/tmp/work')",
    ],
    ["a folder", "fs.symlinkSync('/bundle', 'd')"],
  ])("returns no file through a link in place of %s", async (_, code) => {
    const result = await isolated(`const fs = require('fs'); ${code}`);
    const texts = result.files.map(({ bytes }) => new TextDecoder().decode(bytes));
    expect(texts.filter((text) => text.includes("WorkerEntrypoint"))).toEqual([]);
  });
});

describe("code that changes built-in objects", () => {
  it.each([
    ["JSON", "JSON.stringify = () => 'no'; JSON.parse = null"],
    [
      "Array.prototype",
      "for (const k of ['push', 'map', 'slice', 'concat', 'join']) Array.prototype[k] = () => { throw new Error('no ' + k) }",
    ],
    ["iterators", "Array.prototype[Symbol.iterator] = () => { throw new Error('no') }"],
    [
      "index setters",
      "Object.defineProperty(Array.prototype, '0', { set() { throw new Error('no') }, configurable: true })",
    ],
    [
      "Object.prototype",
      "for (const k of ['path', 'error', 'exitCode', 'get', 'set', 'value']) Object.defineProperty(Object.prototype, k, { get() { throw new Error('no') }, set() {}, configurable: true })",
    ],
    [
      "strings",
      "String.prototype.slice = String.prototype.replaceAll = () => { throw new Error('no') }",
    ],
    [
      "maps",
      "Map.prototype.get = Map.prototype.set = Set.prototype.delete = () => { throw new Error('no') }",
    ],
    [
      "promises",
      "Promise.prototype.then = () => { throw new Error('no') }; Promise.resolve = null",
    ],
    [
      "files",
      "const fs = require('fs'); fs.readdirSync = fs.readFileSync = fs.lstatSync = () => { throw new Error('no') }",
    ],
    [
      "timers",
      "for (const k of ['setTimeout', 'clearTimeout']) Object.defineProperty(globalThis, k, { get() { throw new Error('no') } })",
    ],
    [
      "Reflect",
      "Reflect.apply = null; Object.defineProperty = null; Function.prototype.call = null",
    ],
  ])("LDR4: %s", async (_, code) => {
    const result = await isolated(
      `require('fs').writeFileSync('a.txt', 'abc'); console.log('printed'); ${code}; return 42`,
    );
    expect(result).toMatchObject({ exitCode: 0, stdout: "printed\n", value: 42 });
    // The runtime's own functions for files are made of these, too: then it is said.
    const isSaid = result.stderr.includes("The files cannot be read");
    expect(result.files.map(({ path }) => path)).toEqual(isSaid ? [] : ["a.txt"]);
  });

  it("LDR4: falls back to plain text when format no longer works", async () => {
    const result = await isolated(
      "Array.prototype.push = () => { throw new Error('no') }; console.log('a', { b: 1 }); return 1",
    );
    expect(result).toMatchObject({ exitCode: 0, stdout: "a object\n", value: 1 });
  });

  it("LDR4: takes no other answer for a result", async () => {
    const code =
      "Object.defineProperty(Object.prototype, 'then', { configurable: true, get() { delete Object.prototype.then; return (done) => done('mine') } })";
    const result = await isolated(code);
    expect(result).toMatchObject({ exitCode: 1, stdout: "" });
    expect(result.stderr).toContain("changed the record of its own end");
  });

  it("LDR4: has a console of its own, open to changes", async () => {
    const result = await isolated(
      "console.log = () => { throw new Error('mine') }; globalThis.console = { log: () => {} }; console.log('x'); process.stdout.write('raw'); return 1",
    );
    expect(result).toMatchObject({ exitCode: 0, stdout: "raw", value: 1 });
  });

  it("LDR4: finds its tools, and no other object behind them", async () => {
    const tools = { call: async () => ({ ok: true as const, value: "1" }) };
    const result = await isolated(
      "return [await tools.constructor({}), await tools.__proto__({}), typeof tools.then, Object.keys(tools)]",
      { tools },
    );
    expect(result.value).toEqual([1, 1, "undefined", []]);
  });
});
