import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { Terminal } from "../../support/cli-world.ts";
import { FilesWorld } from "../../support/files-world.ts";

const SCREEN = { columns: 100, rows: 30 };
const BYTES = Uint8Array.from({ length: 3_000 }, (_, index) => (index * 7) % 256);

function terminal(): { world: Terminal; worker: FilesWorld } {
  const worker = new FilesWorld();
  return { world: new Terminal({ worker }), worker };
}

describe("files", () => {
  it("go to the Worker and come back byte for byte", async () => {
    const { world } = terminal();
    writeFileSync(`${world.folder}/data.bin`, BYTES);
    const put = await world.run("files put data.bin");
    expect([put.code, put.err]).toEqual([0, expect.stringContaining("2.9 KiB")]);
    const id = put.out.trim();
    expect((await world.run("files ls")).out).toMatch(
      new RegExp(`^${id}\t2.9 KiB\t.*\tdata.bin\n$`),
    );
    mkdirSync(`${world.folder}/my folder`);
    const got = await world.run(`files get ${id} -o 'my folder'`);
    expect(got.out).toBe(`${world.folder}/my folder/data.bin\n`);
    expect(new Uint8Array(readFileSync(`${world.folder}/my folder/data.bin`))).toEqual(BYTES);
    expect(existsSync(`${world.folder}/my folder/data.bin.part`)).toBe(false);
  });

  it("are printed with -o -", async () => {
    const { world, worker } = terminal();
    const id = await worker.upload("a text\nof two lines");
    expect((await world.run(`files get ${id} -o -`)).out).toBe("a text\nof two lines");
  });

  it.each([
    ["../../evil.sh", "evil.sh"],
    ["C:\\folder\\evil.exe", "evil.exe"],
    [".bashrc", "bashrc"],
  ])("of the name %j are written into this folder, as %s", async (name, written) => {
    const { world, worker } = terminal();
    const id = await worker.upload("x", { name });
    const { out } = await world.run(`files get ${id} --json`);
    expect(JSON.parse(out)).toMatchObject({ path: `${world.folder}/${written}` });
    expect(readFileSync(`${world.folder}/${written}`, "utf8")).toBe("x");
  });

  it("overwrite a file only after a yes (CL21)", async () => {
    const { world, worker } = terminal();
    const id = await worker.upload("new", { name: "a.txt" });
    writeFileSync(`${world.folder}/a.txt`, "old");
    const off = await world.run(`files get ${id}`);
    expect([off.code, off.err]).toEqual([2, expect.stringContaining("overwrite 1 file")]);
    expect(readFileSync(`${world.folder}/a.txt`, "utf8")).toBe("old");
    await world.run(`files get ${id}`, { terminal: SCREEN, answers: [true] });
    expect(readFileSync(`${world.folder}/a.txt`, "utf8")).toBe("new");
  });

  it("stay as they were when a download breaks off", async () => {
    const { world, worker } = terminal();
    const id = await worker.upload("new", { name: "a.txt" });
    writeFileSync(`${world.folder}/a.txt`, "old");
    const broken = async (url: string | URL | Request, init?: RequestInit): Promise<Response> => {
      const address = url instanceof Request ? url.url : url.toString();
      if (!address.endsWith("/content")) return world.http.app.request(address, init);
      let pulls = 0;
      const body = new ReadableStream({
        pull: (controller) => {
          if (++pulls === 1) controller.enqueue(new TextEncoder().encode("ne"));
          else controller.error(new Error("broken off"));
        },
      });
      return new Response(body);
    };
    const { code, err } = await world.run(`files get ${id} --yes`, {
      fetch: broken,
    });
    expect([code, err]).toEqual([1, expect.stringContaining("broken off")]);
    expect(readFileSync(`${world.folder}/a.txt`, "utf8")).toBe("old");
    expect(existsSync(`${world.folder}/a.txt.part`)).toBe(false);
  });

  it("are deleted after a question with their number, each with its result (CL21)", async () => {
    const { world, worker } = terminal();
    const id = await worker.upload("x");
    const off = await world.run(`files rm ${id}`);
    expect([off.code, off.err]).toEqual([2, expect.stringContaining("delete 1 file,")]);
    const { code, asked, out } = await world.run(`files rm ${id} nope --json`, {
      terminal: SCREEN,
      answers: [true],
    });
    expect([code, asked]).toEqual([1, ["Delete 2 files?"]]);
    expect(JSON.parse(out).items).toMatchObject([
      { name: id, state: "deleted" },
      { name: "nope", state: "failed", error: expect.any(String) },
    ]);
    expect((await world.run("files ls")).err).toContain("no such files");
  });

  it.each([
    ["files put none.txt", /there is no file none.txt/],
    ["files put .", /there is no file \./],
    ["files get nope", /nope/],
    ["files put x --expires 1", /from 60 to/],
  ])("%j is wrong use (CL1)", async (line, message) => {
    const { code, out, err } = await terminal().world.run(line);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toMatch(message);
  });
});

describe("run --file", () => {
  const world = terminal();
  writeFileSync(`${world.world.folder}/minutes.txt`, "Ana: We ship on Friday.");
  writeFileSync(`${world.world.folder}/large.bin`, new Uint8Array(300_000).fill(7));

  it("RFL1: sends a small file with the run, and stores a larger one first", async () => {
    const line =
      "run briefing --id r1 --input topic=tea --file notes=minutes.txt --file big=large.bin";
    const { code, err } = await world.world.run(line);
    expect([code, err]).toEqual([0, expect.stringContaining("run r1 completed")]);
    const { json } = await world.worker.ask("/runs/r1");
    const inputs = json["inputs"] as Record<string, { $file?: string }>;
    expect(inputs["topic"]).toBe("tea");
    const contentOf = async (name: string) =>
      (await world.worker.ask(`/files/${inputs[name]?.$file}/content`)).text;
    expect(await contentOf("notes")).toBe("Ana: We ship on Friday.");
    expect((await contentOf("big")).length).toBe(300_000);
  });

  it.each([
    ["--file notes", /--file needs name=path, got "notes"/],
    ["--file notes=none.txt", /--file notes: there is no file none.txt/],
    ["--file notes=.", /there is no file \./],
    ["--file a=minutes.txt --file a=minutes.txt", /--file a stands twice/],
  ])("RFL1: %s is wrong use, and starts no run", async (words, message) => {
    const { code, err } = await world.world.run(`run briefing --id r2 --input topic=tea ${words}`);
    expect([code, err]).toEqual([2, expect.stringMatching(message)]);
    expect((await world.worker.ask("/runs/r2")).status).toBe(404);
  });
});
