import { describe, expect, it } from "vitest";
import type { DefinitionRules } from "../../../src/llm/definition-rules.ts";
import { SecretBox } from "../../../src/security/secret-box.ts";
import type { RunStart } from "../../../src/runtime/run.ts";
import { HttpWorld } from "../../support/http-app.ts";

const SECRET = "CANARY-a-secret-of-the-target";
const random = (length: number) => crypto.getRandomValues(new Uint8Array(length));

function worldWith(key: string | undefined) {
  const box = new SecretBox(key, random);
  const definitionRules: DefinitionRules = {
    outbound: {},
    seal: (text, owner) => box.seal(text, owner),
  };
  const world = new HttpWorld({ definitionRules, webhooks: { hasSecret: true } });
  const starts: RunStart[] = [];
  const start = world.runs.start.bind(world.runs);
  world.runs.start = (what) => {
    starts.push(what);
    return start(what);
  };
  const kickoff = () =>
    world.ask("/crews/greeting/kickoff", {
      json: {
        id: "one",
        webhooks: [{ url: "https://a.example" }, { url: "https://b.example", secret: SECRET }],
      },
    });
  return { box, starts, kickoff };
}

describe("the secret of a webhook's target", () => {
  it("is stored sealed for its run", async () => {
    const { box, starts, kickoff } = worldWith("MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=");
    expect((await kickoff()).status).toBe(202);
    expect((await kickoff()).status).toBe(202); // sealed anew, and the same run
    const [first, second] = starts[0]?.webhooks ?? [];
    expect([first, JSON.stringify(starts).includes("CANARY")]).toEqual([
      { url: "https://a.example" },
      false,
    ]);
    const { sealed = "", owner = "" } = second?.sealedSecret ?? {};
    expect([owner, await box.open(sealed, owner)]).toEqual(["default/run/one", SECRET]);
  });

  it("is refused without a key to seal it, and the Worker's own is used without one", async () => {
    const { starts, kickoff } = worldWith(undefined);
    const { status, json, text } = await kickoff();
    expect([status, json["errors"]?.[0]?.["path"]]).toEqual([400, "/webhooks/1/secret"]);
    expect([text.includes("EDGECREW_SECRETS_KEY"), text.includes("CANARY"), starts]).toEqual([
      true,
      false,
      [],
    ]);
  });
});
