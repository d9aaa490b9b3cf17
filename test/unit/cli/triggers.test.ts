// Schedules, webhooks and keys from a terminal.
import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { addressOf, Terminal, WORKER, type CliOptions } from "../../support/cli-world.ts";
import { TriggerWorld } from "../../support/trigger-world.ts";

const SCREEN = { columns: 120, rows: 30 };
const SECRET = "a secret of sixteen and more";
const STANDARD_SECRET = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=";

function terminal(more: CliOptions = {}): Terminal {
  const worker = new TriggerWorld();
  const variables = { EDGECREW_URL: WORKER, EDGECREW_KEY: "boss" };
  return new Terminal({ worker, variables, ...more });
}

/** A terminal whose Worker has the present time, as signatures need it. */
async function presentTerminal(): Promise<Terminal> {
  const world = terminal();
  const { clock } = world.http;
  await clock.advance(Date.now() - clock.now());
  return world;
}

describe("schedules", () => {
  const ADD =
    "schedules add morning --cron '0 7 * * 1-5' --tz Europe/Berlin --crew briefing --input topic=tea";

  it("are added with their next five times, in the local time of the zone", async () => {
    const world = terminal();
    const { code, out } = await world.run(ADD);
    expect(code).toBe(0);
    const lines = out.trim().split("\n");
    expect(lines[0]).toBe("morning  0 7 * * 1-5 (Europe/Berlin)  crew briefing");
    expect(lines.slice(1)).toHaveLength(5);
    for (const line of lines.slice(1))
      expect(line).toMatch(
        /^ {2}next {2}(?:Mon|Tue|Wed|Thu|Fri) \d{4}-\d\d-\d\d 07:00 Europe\/Berlin/,
      );
    expect((await world.http.ask("/schedules/morning", { key: "boss" })).json["inputs"]).toEqual({
      topic: "tea",
    });
    expect((await world.run("schedules ls")).out).toMatch(
      /^morning\t0 7 \* \* 1-5\tcrew briefing\tstored\t\w{3} /,
    );
  });

  it.each([
    [
      "schedules add x --cron '61 * * * *' --crew briefing",
      /--cron: expected a cron expression with a minute from 0 to 59, got "61/,
    ],
    ["schedules add x --cron '0 7 * * *' --tz Mars --crew briefing", /--tz: expected a time zone/],
    ["schedules add x --cron '0 7 * * *'", /one of --crew, --flow, --agent, --conversation/],
    [
      "schedules add x --cron '0 7 * * *' --crew a --flow b",
      /one of --crew, --flow, --agent, --conversation/,
    ],
    ["schedules add x --crew briefing", /a schedule needs its times/],
  ])("%j is wrong use (CL1)", async (line, message) => {
    const { code, out, err } = await terminal().run(line);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toMatch(message);
  });

  it("are paused, run by hand, unpaused and deleted (CL21)", async () => {
    const world = terminal();
    await world.run(ADD);
    expect((await world.run("schedules pause morning")).out).toContain("paused: no run is due");
    expect((await world.run("schedules ls")).out).toMatch(/\tpaused\n$/);
    const ran = await world.run("schedules run morning");
    expect([ran.code, ran.out]).toEqual([0, "A fine answer\n"]);
    expect((await world.run("schedules run morning --detach")).out).toMatch(/^\S+\n$/);
    expect((await world.run("schedules unpause morning")).out).toContain("07:00 Europe/Berlin");
    const off = await world.run("schedules rm morning");
    expect([off.code, off.err]).toEqual([2, expect.stringContaining("delete 1 schedule")]);
    const two = await world.run("schedules rm morning nope", { terminal: SCREEN, answers: [true] });
    expect([two.code, two.asked]).toEqual([1, ["Delete 2 schedules?"]]);
    expect(two.out).toMatch(/morning +deleted/);
    expect(two.out).toMatch(/nope +failed +there is no schedule/);
  });
});

describe("webhooks", () => {
  it("are added with a secret that is shown once, and the settings for the sender", async () => {
    const world = terminal();
    const added = await world.run(
      "hooks add issues --scheme github --crew briefing --input topic=/issue/title",
    );
    expect(added.code).toBe(0);
    const [, secret = ""] = /^secret {3}(\w{64}) {3}\(shown once\)$/m.exec(added.out) ?? [];
    expect(secret).not.toBe("");
    expect(added.out).toContain(`address  ${WORKER}/hooks/issues`);
    expect((await world.run("hooks ls")).out).toBe(
      `issues\tgithub\tcrew briefing\tstored\t${WORKER}/hooks/issues\n`,
    );
    for (const line of ["hooks ls --json", "triggers ls --json"])
      expect((await world.run(line)).out).not.toContain(secret);
  });

  it("ask for the secret when the sender makes it, and before one is replaced", async () => {
    const world = terminal();
    const off = await world.run("hooks add pay --scheme stripe --crew greeting");
    expect([off.code, off.err]).toEqual([
      2,
      expect.stringContaining("--secret <file>, or --secret -"),
    ]);
    const typed = await world.run("hooks add pay --scheme stripe --crew greeting", {
      terminal: SCREEN,
      answers: [SECRET],
    });
    expect([typed.code, typed.asked]).toEqual([0, ["The signing secret of stripe"]]);
    expect(typed.out).not.toContain(SECRET);
    const again = await world.run("hooks add pay --scheme stripe --crew greeting --secret -", {
      input: SECRET,
    });
    expect([again.code, again.err]).toEqual([2, expect.stringContaining("replace 1 webhook")]);
    expect((await world.run("hooks rm pay --yes")).out).toBe("pay\tdeleted\t\n");
  });

  it.each([
    ["github", SECRET],
    ["stripe", SECRET],
    ["slack", SECRET],
    ["standard", STANDARD_SECRET],
    ["hmac", SECRET],
  ])("of the scheme %s are tested with a signed delivery (CL22)", async (scheme, secret) => {
    const world = await presentTerminal();
    writeFileSync(`${world.folder}/secret.txt`, `${secret}\n`);
    await world.run(
      `hooks add h --scheme ${scheme} --crew briefing --input topic=/issue/title --secret secret.txt`,
    );
    const { code, out, err } = await world.run("hooks test h --secret secret.txt");
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(scheme === "slack" ? /^accepted\n$/ : /^hook-\w{40}\n$/);
    await world.run("hooks test h --secret secret.txt");
    const runs = JSON.parse((await world.run("runs ls --json")).out).items;
    expect(runs).toHaveLength(2);
    expect((await world.http.ask(`/runs/${runs[0].id}`, { key: "boss" })).json["inputs"]).toEqual({
      topic: "test of topic",
    });
    const wrong = await world.run("hooks test h", {
      variables: {
        EDGECREW_URL: WORKER,
        EDGECREW_KEY: "boss",
        EDGECREW_HOOK_SECRET:
          scheme === "standard"
            ? "whsec_bm90IHRoZSBzZWNyZXQgb2YgdGhlIGhvb2s="
            : "another secret of sixteen",
      },
    });
    expect([wrong.code, wrong.out]).toEqual([4, ""]);
    expect(wrong.err).toMatch(/no webhook of this name and tenant[^]*compare --secret/);
  });

  it.each(["github", "stripe", "slack", "standard", "hmac"])(
    "SGD1: %s: the same payload delivered twice is one run (CL22)",
    async (scheme) => {
      const world = await presentTerminal();
      const secret = scheme === "standard" ? STANDARD_SECRET : SECRET;
      writeFileSync(`${world.folder}/secret.txt`, secret);
      writeFileSync(`${world.folder}/p.json`, '{"issue":{"title":"tea"}}');
      await world.run(
        `hooks add h --scheme ${scheme} --crew briefing --input topic=/issue/title --secret secret.txt`,
      );
      const line = "triggers run h --payload p.json --secret secret.txt";
      const first = await world.run(line);
      await world.http.clock.advance(2_000);
      const second = await world.run(line);
      expect([first.code, second.code, second.out]).toEqual([0, 0, first.out]);
      expect(JSON.parse((await world.run("runs ls --json")).out).items).toHaveLength(1);
      writeFileSync(`${world.folder}/p.json`, '{"issue":{"title":"coffee"}}');
      await world.run(line);
      const rows = (await world.run("hooks deliveries h")).out.trim().split("\n");
      expect(rows).toHaveLength(2);
      expect(rows[0]).toMatch(/^hook-\w{40}\t\w+\t/);
    },
  );

  it("SGD2: a wrong clock is reported", async () => {
    const world = await presentTerminal();
    writeFileSync(`${world.folder}/secret.txt`, SECRET);
    await world.run("hooks add h --crew greeting --secret secret.txt");
    const fetch = async (url: string | URL | Request, init?: RequestInit): Promise<Response> => {
      const response = await world.http.app.request(addressOf(url), init);
      const headers = { date: new Date(Date.now() + 600_000).toUTCString() };
      return new Response(response.body, { status: response.status, headers });
    };
    const { err } = await world.run("hooks test h --secret secret.txt", { fetch: fetch });
    expect(err).toMatch(/clock is (?:9\.9|10\.0) min behind the Worker's/);
  });

  it.each([
    ["hooks test h --payload none.json --secret secret.txt", /--payload: .*none.json/],
    ["hooks test h --payload secret.txt --secret secret.txt", /--payload: expected JSON/],
    ["hooks test h", /EDGECREW_HOOK_SECRET/],
    ["triggers run h", /a webhook needs a payload/],
    ["hooks add x --crew greeting --input topic", /--input needs name=\/pointer/],
    ["hooks deliveries nope", /nope/],
  ])("%j is wrong use (CL1)", async (line, message) => {
    const world = terminal();
    writeFileSync(`${world.folder}/secret.txt`, SECRET);
    await world.run("hooks add h --crew greeting --secret secret.txt");
    const { code, out, err } = await world.run(line);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toMatch(message);
  });

  it("and schedules are listed and run as triggers", async () => {
    const world = terminal();
    writeFileSync(`${world.folder}/secret.txt`, SECRET);
    await world.run("hooks add h --crew greeting --secret secret.txt");
    await world.run("schedules add daily --cron @daily --crew greeting");
    const { out } = await world.run("triggers ls");
    expect(out).toMatch(/^schedule\tdaily\tcrew greeting\t@daily, /);
    expect(out).toContain("webhook\th\tcrew greeting\thmac, POST /hooks/h\n");
    expect((await world.run("triggers run daily --follow")).out).toBe("A fine answer\n");
    expect((await world.run("triggers run daily --payload secret.txt")).code).toBe(2);
  });
});

describe("keys", () => {
  it("are printed once, listed without their secrets, and deleted (CL21)", async () => {
    const world = terminal();
    const made = await world.run("keys create --tenant acme --scope read --name web --expires 90d");
    expect([made.code, made.out]).toEqual([0, expect.stringMatching(/^ec_\S+\n$/)]);
    expect(made.err).toContain("of tenant acme: read");
    const listed = await world.run("keys ls --json");
    expect(listed.out).not.toContain(made.out.trim());
    const [{ id, expiresAt, ...key }] = JSON.parse(listed.out).items;
    expect(key).toMatchObject({ tenant: "acme", scopes: ["read"], name: "web" });
    const days = (Date.parse(expiresAt) - Date.now()) / 86_400_000;
    expect(Math.round(days)).toBe(90);
    expect((await world.run("keys ls --tenant other")).err).toContain("no keys");
    expect((await world.run(`keys rm ${id}`)).err).toContain("delete 1 key");
    expect((await world.run(`keys rm ${id} --yes`)).code).toBe(0);
    expect((await world.run("keys ls")).out).toBe("");
  });

  it("go into a profile unseen with --save-profile (CL7)", async () => {
    const world = terminal();
    const { out, err } = await world.run("keys create --save-profile web --json");
    const config = readFileSync(`${world.folder}/edgecrew/config.json`, "utf8");
    const { key } = JSON.parse(config).profiles.web;
    expect(key).toMatch(/^ec_/);
    expect(out + err).not.toContain(key);
    expect(
      (await world.run("runs ls --json", { variables: { EDGECREW_PROFILE: "web" } })).code,
    ).toBe(0);
  });

  it.each([
    ["keys create --scope write", /expected run, read, answer or admin, got "write"/],
    ["keys create --expires never", /an age such as 30d/],
  ])("%j is wrong use (CL1)", async (line, message) => {
    const { code, err } = await terminal().run(line);
    expect([code, err]).toEqual([2, expect.stringMatching(message)]);
  });
});
