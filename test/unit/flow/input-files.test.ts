import { expect, it } from "vitest";
import { Crew } from "../../../src/crew/crew.ts";
import { file } from "../../../src/files/file-source.ts";
import { defineFlow } from "../../../src/flow/index.ts";
import { scriptedAgent, taskFor } from "../../support/crew-harness.ts";
import { pngBytes } from "../../support/sample-files.ts";

const seen = () => {
  const { agent, model } = scriptedAgent(() => "seen");
  const crew = new Crew({ tasks: [taskFor(agent)] });
  const types = (): readonly string[] =>
    model.calls.flatMap(({ messages }) =>
      messages.flatMap(({ content }) =>
        typeof content === "string" ? [] : content.map(({ type }) => type),
      ),
    );
  const flow = defineFlow({
    name: "look",
    methods: {
      look: {
        start: true,
        run: async ({ state }) => (await crew.kickoff({ inputs: { ...state } })).raw,
      },
    },
  });
  return { flow, types };
};
const inputFiles = { chart: file(pngBytes(3, 2), { name: "chart.png" }) };

it("a flow passes its input files on to its crews", async () => {
  const { flow, types } = seen();
  expect(await flow.kickoff({ inputFiles })).toMatchObject({
    value: "seen",
    state: { chart: { $file: "held-0", name: "chart.png" } },
  });
  expect(types()).toContain("image");
});

it("a flow inside of another has files of its own", async () => {
  const inner = seen();
  const run = async () => (await inner.flow.kickoff({ inputFiles })).value;
  const outer = defineFlow({ name: "outer", methods: { begin: { start: true, run } } });
  expect((await outer.kickoff()).value).toBe("seen");
  expect(inner.types()).toContain("image");
});
