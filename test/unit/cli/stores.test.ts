// Memory and knowledge from a terminal.
import { mkdirSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { htmlReader } from "../../../src/knowledge/readers/html-reader.ts";
import { addressOf, Terminal, WORKER, type CliOptions } from "../../support/cli-world.ts";
import { ADMIN, RecallWorld } from "../../support/recall-world.ts";

const SCREEN = { columns: 100, rows: 30 };

function terminal(more: CliOptions = {}): Terminal {
  const variables = { EDGECREW_URL: WORKER, EDGECREW_KEY: ADMIN };
  return new Terminal({ worker: new RecallWorld(), variables, ...more });
}

const TEA =
  "memory remember 'Acme drinks green tea' --scope /customers/acme --category taste --importance 0.8";
const MUGS =
  "memory remember 'Nadir collects mugs' --scope /customers/nadir --category hobby --importance 0.2";

describe("memory", () => {
  it("is added to, listed, recalled and shown as a tree", async () => {
    const world = terminal();
    expect((await world.run(TEA)).out).toMatch(/^\S+\t\/customers\/acme\n$/);
    await world.run(MUGS);
    const listed = JSON.parse((await world.run("memory ls /customers --json")).out);
    // Both may be of one millisecond, so either may come first.
    expect(listed.items).toHaveLength(2);
    expect(listed.items).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          content: "Nadir collects mugs",
          scope: "/customers/nadir",
          importance: 0.2,
        }),
        expect.objectContaining({ content: "Acme drinks green tea", categories: ["taste"] }),
      ]),
    );
    const taste = await world.run("memory ls --category taste");
    expect(taste.out).toContain("Acme drinks green tea");
    expect(taste.out).not.toContain("mugs");
    const recalled = await world.run(
      "memory recall 'Acme drinks green tea' --depth shallow --limit 1",
    );
    expect(recalled.out).toMatch(/^0\.\d{3}\t\/customers\/acme\tAcme drinks green tea\n$/);
    expect((await world.run("memory tree")).out).toContain("acme");
    const bare = await world.run("memory");
    expect(bare.out).toBe((await world.run("memory tree")).out);
    expect(bare.err).toContain(`${WORKER}/console`);
  });

  it("takes every field of a memory, changes it, and keeps a person's apart", async () => {
    const world = terminal();
    const saved = JSON.parse(
      (
        await world.run(
          "memory remember 'Anna likes tea' --person anna --scope /taste --category taste --importance 0.4 --metadata by=phone --json",
        )
      ).out,
    );
    expect(saved).toMatchObject({
      scope: "/person/anna/taste",
      source: "person:anna",
      private: true,
      metadata: { by: "phone" },
    });
    expect((await world.run("memory ls")).err).toContain("No memory matches");
    expect((await world.run("memory recall tea --person anna --depth shallow")).out).toContain(
      "tea",
    );
    expect((await world.run("memory recall tea --private --depth shallow")).out).toContain("tea");
    const changed = await world.run(
      `memory update ${saved.id} --content 'Anna likes coffee' --person anna`,
    );
    expect(changed.out).toBe(`${saved.id}\t/person/anna/taste\n`);
    expect((await world.run("memory ls --person anna")).out).toContain("coffee");
    expect((await world.run(`memory update ${saved.id} --person anna`)).code).toBe(2);
    expect(
      (await world.run("memory add 'An alias' --scope /a --category b --importance 1")).code,
    ).toBe(0);
  });

  it("explains the parts of a score with --explain", async () => {
    const world = terminal();
    await world.run(TEA);
    const { out } = await world.run(
      "memory recall 'Acme drinks green tea' --explain --depth shallow",
    );
    const [, similarity, days, importance, reasons] = out.split("\t");
    expect([Number(similarity) > 0.9, importance]).toEqual([true, "0.80"]);
    expect(Number(days)).not.toBeNaN();
    expect(reasons).toContain("semantic");
  });

  it.each([
    ["memory remember x --importance 2", /a number from 0 to 1, got "2"/],
    ["memory remember x --importance high", /a number from 0 to 1, got "high"/],
    ["memory forget", /choose memories to forget/],
    ["memory forget abc --scope /x", /ids or a filter, got both/],
    ["memory forget --older-than soon", /an age such as 30d/],
    ["memory recall", /missing required argument 'query'/],
  ])("%j is wrong use (CL1)", async (line, message) => {
    const { code, out, err } = await terminal().run(line);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toMatch(message);
  });

  it("is forgotten by a filter: as many as the question named (CL21)", async () => {
    const world = terminal();
    await world.run(TEA);
    await world.run(MUGS);
    const off = await world.run("memory forget --scope /customers/acme");
    expect([off.code, off.err]).toEqual([2, expect.stringContaining("forget 1 memory")]);
    expect(off.err).toContain("--yes");
    const asked = await world.run("memory forget --scope /customers", {
      terminal: SCREEN,
      answers: [false],
    });
    expect([asked.code, asked.asked]).toEqual([1, ["Forget 2 memories?"]]);
    const left = async (): Promise<number> =>
      JSON.parse((await world.run("memory ls --json")).out).items.length;
    expect(await left()).toBe(2);
    expect((await world.run("memory forget --scope /customers/acme --yes --json")).out).toBe(
      '{\n  "forgotten": 1\n}\n',
    );
    expect(await left()).toBe(1);
    expect((await world.run("memory forget --older-than 2001-01-31 --yes")).out).toBe(
      "0 memories forgotten\n",
    );
  });

  it("is reset, whole or below a path (CL21)", async () => {
    const world = terminal();
    await world.run(TEA);
    await world.run(MUGS);
    expect((await world.run("memory reset")).code).toBe(2);
    const one = await world.run("memory reset --scope /customers/acme", {
      terminal: SCREEN,
      answers: [true],
    });
    expect(one.asked).toEqual(["Delete 1 memory at /customers/acme and below?"]);
    expect((await world.run("memory reset -y --json")).out).toContain('"deleted": 1');
    expect((await world.run("memory ls")).err).toContain("No memory matches");
  });
});

describe("knowledge", () => {
  /** Thirty documents in a folder with a blank; `broken.txt` holds no letter. */
  function folder(world: Terminal): void {
    mkdirSync(`${world.folder}/my docs/.git`, { recursive: true });
    writeFileSync(`${world.folder}/my docs/.git/config`, "not a document");
    for (let number = 1; number < 30; number++)
      writeFileSync(
        `${world.folder}/my docs/page-${number}.md`,
        `Article ${number} is on tea ${number}.`,
      );
    writeFileSync(`${world.folder}/my docs/broken.txt`, "*** --- ***");
  }
  const stateOf = (out: string): Record<string, string> =>
    Object.fromEntries(
      (JSON.parse(out).items as { name: string; state: string }[]).map(({ name, state }) => [
        name,
        state,
      ]),
    );

  it("KDC1: adds a folder, reports the result of each document, and sends no document twice (CL20)", async () => {
    const world = terminal();
    folder(world);
    await world.run("knowledge add handbook 'my docs/page-1.md' 'my docs/page-2.md'");
    const first = await world.run("knowledge add handbook 'my docs' --json");
    expect([first.code, first.err]).toEqual([
      1,
      expect.stringContaining("1 document of 30 failed"),
    ]);
    const states = stateOf(first.out);
    expect(Object.keys(states)).toHaveLength(30);
    expect(Object.values(states).filter((state) => state === "added")).toHaveLength(27);
    expect(states).toMatchObject({
      "my docs/page-1.md": "unchanged",
      "my docs/page-2.md": "unchanged",
      "my docs/broken.txt": "failed",
    });
    writeFileSync(`${world.folder}/my docs/page-3.md`, "Another text on coffee.");
    const sent: string[] = [];
    const counting = (url: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
      if (init.method === "POST") sent.push(addressOf(url));
      return Promise.resolve(world.http.app.request(addressOf(url), init));
    };
    writeFileSync(`${world.folder}/my docs/broken.txt`, "Now it has words.");
    const second = await world.run("knowledge add handbook 'my docs' --json");
    expect(second.code).toBe(0);
    expect(stateOf(second.out)).toMatchObject({
      "my docs/page-3.md": "replaced",
      "my docs/broken.txt": "replaced",
      "my docs/page-4.md": "unchanged",
    });
    const third = await world.run("knowledge add handbook 'my docs' --json", {
      fetch: counting,
    });
    expect([third.code, sent]).toEqual([0, []]);
    expect(new Set(Object.values(stateOf(third.out)))).toEqual(new Set(["unchanged"]));
  });

  it("has at most four documents in progress at once (CL20)", async () => {
    const world = terminal();
    folder(world);
    let open = 0;
    let most = 0;
    const slow = async (url: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
      const isUpload = init.method === "POST";
      if (isUpload) most = Math.max(most, ++open);
      const answer = world.http.app.request(addressOf(url), init);
      const timer = setInterval(() => void world.http.clock.settle(), 1);
      try {
        await new Promise((resolve) => setTimeout(resolve, 5));
        return await answer;
      } finally {
        clearInterval(timer);
        if (isUpload) open--;
      }
    };
    await world.run("knowledge add handbook 'my docs/page-*.md'", { fetch: slow });
    expect(most).toBe(4);
  });

  it.each([
    ["knowledge add handbook none.md", /there is no file, folder or match of none.md/],
    ["knowledge add handbook '*.pdf'", /match of \*\.pdf/],
    ["knowledge add handbook", /missing required argument/],
    ["knowledge rm handbook nope.md --yes", /no document "nope.md"/],
  ])("%j is wrong use (CL1)", async (line, message) => {
    const { code, err } = await terminal().run(line);
    expect([code, err]).toEqual([2, expect.stringMatching(message)]);
  });

  it("KDC2: two documents of one name are wrong use", async () => {
    const world = terminal();
    mkdirSync(`${world.folder}/inner`);
    mkdirSync(`${world.folder}/other`);
    for (const each of ["inner", "other"]) writeFileSync(`${world.folder}/${each}/x.md`, each);
    writeFileSync(`${world.folder}/x.md`, "here");
    const { code, err } = await world.run(
      `knowledge add h x.md ../x.md --cwd ${world.folder}/inner`,
    );
    expect([code, err]).toEqual([2, expect.stringContaining("would both be called x.md")]);
  });

  it("is listed, queried and deleted with its number (CL21)", async () => {
    const world = terminal();
    writeFileSync(`${world.folder}/warranty.md`, "The warranty lasts two years.");
    writeFileSync(`${world.folder}/tea.md`, "Green tea is steeped for two minutes.");
    await world.run("knowledge add handbook warranty.md tea.md");
    expect((await world.run("knowledge ls")).out).toBe("handbook\t2\t2\n");
    expect((await world.run("knowledge ls handbook")).out).toMatch(
      /\tready\t1\/1\t.*\twarranty.md/,
    );
    const found = await world.run(
      "knowledge query handbook 'The warranty lasts two years.' --limit 1",
    );
    expect(found.out).toMatch(/\twarranty\.md.*\tThe warranty lasts two years\.\n$/);
    const off = await world.run("knowledge rm handbook");
    expect([off.code, off.err]).toEqual([2, expect.stringContaining("with 2 documents")]);
    expect((await world.run("knowledge rm handbook tea.md --yes")).out).toBe("tea.md deleted\n");
    const asked = await world.run("knowledge rm handbook", { terminal: SCREEN, answers: [true] });
    expect(asked.asked).toEqual(["Delete the collection handbook with 1 document?"]);
    expect((await world.run("knowledge ls")).err).toContain("no collections");
  });

  it("LOS2: is listed with the content that its text does not have", async () => {
    const variables = { EDGECREW_URL: WORKER, EDGECREW_KEY: ADMIN };
    const worker = new RecallWorld({ knowledge: { readers: [htmlReader] } });
    const world = new Terminal({ worker, variables });
    writeFileSync(`${world.folder}/tea.html`, "<p>Green tea.<img src=cup.png><p hidden>x");
    const lost = "\t1 picture without text: cup.png; 1 hidden text, left out: x\t";
    for (const line of ["add handbook tea.html", "add handbook tea.html", "ls handbook"])
      expect((await world.run(`knowledge ${line}`)).out).toContain(lost);
    const { out } = await world.run("knowledge ls handbook --json");
    expect(JSON.parse(out)).toMatchObject({
      items: [{ losses: [{ kind: "picture", count: 1 }, { kind: "hidden" }] }],
    });
  });

  it("is replaced only after a yes", async () => {
    const world = terminal();
    writeFileSync(`${world.folder}/tea.md`, "Green tea.");
    await world.run("knowledge add handbook tea.md");
    const off = await world.run("knowledge add handbook tea.md --replace");
    expect([off.code, off.err]).toEqual([2, expect.stringContaining("replace 1 document")]);
    const { code, out } = await world.run(
      "knowledge add handbook tea.md --replace --type text --yes",
    );
    expect([code, out.split("\t")[2]]).toEqual([0, "tea.md"]);
  });
});

describe("reset-memories", () => {
  async function filled(): Promise<Terminal> {
    const world = terminal();
    await world.run(TEA);
    await world.run(MUGS);
    writeFileSync(`${world.folder}/tea.md`, "Green tea.");
    for (const collection of ["handbook", "crew/briefing", "crew/briefing/agent/Writer"])
      await world.run(`knowledge add ${collection} tea.md`);
    await world.run("run greeting --id done-run");
    return world;
  }
  const left = async (world: Terminal): Promise<readonly (string | number)[]> => [
    JSON.parse((await world.run("memory ls --json")).out).items.length,
    ...JSON.parse((await world.run("knowledge ls --json")).out).items.map(
      ({ name }: { name: string }) => name,
    ),
  ];

  it.each([
    ["-m", "delete 2 memories", [0, "crew/briefing", "crew/briefing/agent/Writer", "handbook"]],
    ["-l", "delete 2 memories", [0, "crew/briefing", "crew/briefing/agent/Writer", "handbook"]],
    ["-kn", "delete 2 documents of knowledge", [2, "crew/briefing/agent/Writer"]],
    ["-akn", "delete 1 document of agent knowledge", [2, "crew/briefing", "handbook"]],
  ])(
    "reads %s as in CrewAI, and reports how much it deletes (CL14, CL21)",
    async (flag, said, rest) => {
      const world = await filled();
      const off = await world.run(`reset-memories ${flag}`);
      expect([off.code, off.err]).toEqual([2, expect.stringContaining(`would ${said}`)]);
      expect((await world.run(`reset-memories ${flag} --yes`)).code).toBe(0);
      expect(await left(world)).toEqual(rest);
    },
  );

  it("deletes finished runs with -k, and everything with -a (CL14, CL21)", async () => {
    const world = await filled();
    const runs = async (): Promise<number> =>
      JSON.parse((await world.run("runs ls --json")).out).items.length;
    const many = await runs();
    const { asked } = await world.run("reset-memories -a", { terminal: SCREEN, answers: [false] });
    expect(asked).toEqual([
      `Delete 2 memories, 2 documents of knowledge, 1 document of agent knowledge, ${many} finished runs?`,
    ]);
    const before = world.http.clock.now();
    await world.http.clock.advance(Math.max(1_000, Date.now() - before));
    const { out } = await world.run("reset-memories -k --yes");
    expect(out).toBe(`runs\t${many}\n`);
    expect(await runs()).toBe(0);
    expect((await world.run("reset-memories -a -y --json")).code).toBe(0);
    expect(await left(world)).toEqual([0]);
  });

  it("requires a flag (CL2)", async () => {
    expect((await terminal().run("reset-memories")).err).toContain("choose a store to empty");
  });
});
