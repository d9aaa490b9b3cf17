import { describe, expect, it } from "vitest";
import { flowFromDeclaration, flowSkill } from "../../../src/declarative/index.ts";
import { EXAMPLE } from "../../../src/declarative/flow-skill.ts";
import { startDeclared } from "../../support/declared-flow.ts";
import { ask, greeting } from "../../support/http-app.ts";

describe("the guide for authors", () => {
  it("has a loading and running example", async () => {
    expect(flowSkill()).toContain(EXAMPLE);
    const inputs = { mail: "Hello", questions: ["When?", "", "Where?"] };
    const routine = startDeclared(EXAMPLE, { inputs, script: () => "At noon." });
    expect(await routine.output()).toMatchObject({ value: "nothing sent" });
    const urgent = startDeclared(EXAMPLE, { inputs: { mail: "outage" }, script: () => "Sorry." });
    await urgent.settle();
    await urgent.handle.resume({ feedback: "send" });
    expect(await urgent.output()).toMatchObject({ value: "Sorry." });
  });

  it("describes every accepted field, and no refused one", () => {
    const skill = flowSkill();
    const fields = [...skill.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
    expect(new Set(fields)).toEqual(
      new Set(
        (
          "schema name description state config persist methods default json_schema ref max_method_calls do start listen router " +
          "conversational suppress_flow_events learn learn_source learn_strict " +
          "emit human_feedback message llm default_outcome metadata expires_in_seconds with from_declaration inputs expr in if action"
        ).split(" "),
      ),
    );
    expect(skill).toContain("| `in` | text (needed) | CEL that gives a list |");
    expect(skill).toContain("| `listen` | condition | Runs when this method has ended");
    expect(skill).toContain("### do, call `each`");
    expect(skill).not.toContain("call `script`");
    expect(skill).toContain("`expected_output`");
    expect(skill).not.toMatch(/undefined|\[object/);
  });

  it("lists the registry", () => {
    const skill = flowSkill({
      registry: { tools: [ask], functions: { notify: () => 1 }, crews: { greeting } },
    });
    expect(skill).toContain("### Tools\n\n- `ask`: Ask a person.");
    expect(skill).toContain("### Functions\n\n- `notify`");
    expect(skill).toContain("### Crews\n\n- `greeting`");
    expect(flowSkill()).not.toContain("What is registered");
  });

  it("describes refusals correctly", () => {
    expect(() =>
      flowFromDeclaration(EXAMPLE.replace("emit: [urgent, routine]", "emit: [urgent]")),
    ).toThrow('waits for "routine"');
  });
});
