import { afterEach, describe, expect, it } from "vitest";
import { EngineError } from "../../../src/base/error.ts";
import type { CodeJob, CodeResult, CodeSession } from "../../../src/code/code-runner.ts";
import { MachineRunner } from "../../../src/code/machines/machine-runner.ts";
import { bytes } from "../../support/code-runners.ts";
import { LocalMachines, type LocalMachinesOptions } from "../../support/local-machines.ts";

const made: LocalMachines[] = [];
afterEach(async () => {
  for (const machines of made.splice(0)) await machines.lose();
});

function machinesOf(options: LocalMachinesOptions = {}): LocalMachines {
  const machines = new LocalMachines(options);
  made.push(machines);
  return machines;
}

let count = 0;
const run = (
  machines: LocalMachines,
  code: string,
  more: Partial<CodeJob> = {},
): Promise<CodeResult> =>
  new MachineRunner(machines).run(
    {
      language: "bash",
      code,
      idempotencyKey: `job ${++count}`,
      timeoutMs: 10_000,
      maxOutputChars: 30_000,
      network: false,
      ...more,
    },
    new AbortController().signal,
  );

const textsOf = ({ files }: CodeResult): Record<string, string> =>
  Object.fromEntries(files.map((file) => [file.path, new TextDecoder().decode(file.bytes)]));

/** A session as runs have one: what is kept is found again. */
function sessionOf(files: Record<string, Uint8Array> = {}): CodeSession & { kept: string[] } {
  const kept: string[] = [];
  return {
    id: "session",
    kept,
    get handle() {
      return kept.at(-1);
    },
    keep: (handle) => void kept.push(handle),
    files: async () => files,
  };
}

describe("shell text on a machine", () => {
  it("MCR1: has a machine of its own, which is stopped at the end", async () => {
    const machines = machinesOf();
    const result = await run(machines, "echo out; echo err >&2; exit 3");
    expect(result).toMatchObject({ exitCode: 3, stdout: "out\n", stderr: "err\n", files: [] });
    expect(machines.stopped).toEqual(["machine-1"]);
    expect(machines.requests[0]).toMatchObject({ network: false, lifeMs: 70_000 });
    await run(machines, "true");
    expect(machines.stopped).toEqual(["machine-1", "machine-2"]);
  });

  it("MCR1: stops the machine, also when it breaks", async () => {
    const machines = machinesOf({
      onExec: (text) => {
        if (text.includes("timeout")) throw new EngineError("unavailable", "reset");
      },
    });
    await expect(run(machines, "true")).rejects.toThrow("reset");
    expect(machines.stopped).toEqual(["machine-1"]);
  });

  it("MCR3: brings files in, and new or changed ones out", async () => {
    const result = await run(
      machinesOf(),
      "cat in.txt > 'a b.txt'; echo 2 >> both.txt; mkdir -p d .hidden; echo x > d/é.csv; echo y > .hidden/z; ln -s /etc/passwd link",
      { files: { "in.txt": bytes("abc"), "both.txt": bytes("1\n"), "sub/same.txt": bytes("s") } },
    );
    expect(result).toMatchObject({ exitCode: 0, stderr: "" });
    expect(textsOf(result)).toEqual({ "a b.txt": "abc", "both.txt": "1\n2\n", "d/é.csv": "x\n" });
  });

  it("ends late code, with its output so far", async () => {
    const result = await run(machinesOf(), "echo begun; sleep 20", { timeoutMs: 1_000 });
    expect(result).toMatchObject({ exitCode: 124, error: "timeout", stdout: "begun\n" });
  });

  it("reports unknown commands", async () => {
    expect(await run(machinesOf(), "no-such-command")).toMatchObject({ exitCode: 127 });
  });

  it("MCR4: reports an unavailable machine", async () => {
    const machines = machinesOf();
    machines.create = () => {
      throw new EngineError("unavailable", "no machine");
    };
    expect(await run(machines, "true")).toMatchObject({
      exitCode: -1,
      error: "unavailable",
      stderr: "no machine",
    });
    const early = machinesOf({
      onExec: () => {
        throw new EngineError("timeout", "no answer");
      },
    });
    expect(await run(early, "true")).toMatchObject({ exitCode: -1, error: "unavailable" });
  });

  it("MCR4: has an unknown outcome after a lost machine", async () => {
    const machines = machinesOf({
      onExec: (text) => {
        if (text.includes("timeout -k")) throw new EngineError("unavailable", "reset");
      },
    });
    await expect(run(machines, "true")).rejects.toMatchObject({ code: "outcome_unknown" });
  });

  it("MCR4: has the result, although its files cannot be read", async () => {
    let listings = 0;
    const machines = machinesOf({
      onExec: (text) => {
        if (text.includes("find .") && ++listings === 2) throw new EngineError("unavailable", "x");
      },
    });
    const result = await run(machines, "echo done");
    expect(result).toMatchObject({ exitCode: 0, stdout: "done\n", files: [] });
    expect(result.stderr).toContain("The files that it wrote cannot be read");
  });

  it("is refused for named hosts without a filter for them", async () => {
    const machines = machinesOf();
    const some = await run(machines, "true", { network: { hosts: ["api.example.com"] } });
    expect(some).toMatchObject({ exitCode: 126, error: "refused" });
    expect(machines.requests).toEqual([]);
    expect(await run(machines, "true", { network: { hosts: ["*"] } })).toMatchObject({
      exitCode: 0,
    });
  });
});

describe("a session", () => {
  it("MCR2: keeps its machine and its files", async () => {
    const machines = machinesOf();
    const session = sessionOf();
    await run(machines, "echo 1 > a.txt", { session });
    const second = await run(machines, "cat a.txt; echo 2 > b.txt", { session });
    expect(second.stdout).toBe("1\n");
    expect(textsOf(second)).toEqual({ "b.txt": "2\n" });
    expect(session.kept).toEqual(["machine-1"]);
    expect(machines.stopped).toEqual([]);
    expect(machines.requests[0]?.lifeMs).toBe(3_600_000);
    await new MachineRunner(machines).close("machine-1", new AbortController().signal);
    expect(machines.stopped).toEqual(["machine-1"]);
  });

  it("MCR2: fills a new machine with the stored files when the old one is gone", async () => {
    const machines = machinesOf();
    const session = sessionOf({ "a.txt": bytes("kept\n") });
    await run(machines, "true", { session });
    await machines.lose();
    const result = await run(machines, "cat a.txt", { session });
    expect(result.stdout).toBe("kept\n");
    expect(session.kept).toEqual(["machine-1", "machine-2"]);
  });

  it("keeps the variables of Python, and shows the value of the last expression", async () => {
    const machines = machinesOf({
      python: async (code) => ({
        stdout: "printed",
        stderr: "",
        text: code,
        images: [{ ending: "png", bytes: bytes("png") }],
        ...(code === "1/0" ? { error: "Traceback\nZeroDivisionError" } : undefined),
      }),
    });
    const session = sessionOf();
    const shown = await run(machines, "x", { session, language: "python" });
    expect(shown).toMatchObject({ exitCode: 0, stdout: "printed\nx\n" });
    expect(textsOf(shown)).toEqual({ "output_1.png": "png" });
    const failed = await run(machines, "1/0", { session, language: "python" });
    expect(failed).toMatchObject({ exitCode: 1, stderr: "Traceback\nZeroDivisionError\n" });
  });

  it("stops a machine with endless Python", async () => {
    const machines = machinesOf({ python: async () => "late" as const });
    const session = sessionOf();
    const result = await run(machines, "x", { session, language: "python" });
    expect(result).toMatchObject({ exitCode: 124, error: "timeout" });
    expect(machines.stopped).toEqual(["machine-1"]);
    expect(session.kept).toEqual(["machine-1", ""]);
  });
});
