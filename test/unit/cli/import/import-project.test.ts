// Projects of CrewAI as they are imported: each loads, and runs to its end.
import * as z from "zod";
import { describe, expect, it } from "vitest";
import { InMemoryFileStore } from "../../../../src/files/in-memory-file-store.ts";
import { modelCatalog } from "../../../../src/llm/model-catalog.ts";
import { crewFromProject } from "../../../../src/project/crew-project.ts";
import { tool } from "../../../../src/tools/tool.ts";
import { imported, PYTHON_PROJECTS, textOf } from "../../../support/python-projects.ts";

function stub(name: string) {
  return tool({ name, description: name, input: z.looseObject({}), run: () => "done" });
}

const SCHEMAS = { Report: z.looseObject({}), Point: z.looseObject({}) };
const FUNCTIONS = {
  note: () => undefined,
  prepare: (inputs: object) => ({ ...inputs, year: 2026 }),
};

describe.each(PYTHON_PROJECTS.map((project) => [project.name, project] as const))(
  "%s",
  (_, project) => {
    const made = imported(project.files);

    it.each(project.crews)("%s loads, and runs to its end with stub tools (CL25)", async (name) => {
      const folder = Object.fromEntries(
        made.files
          .filter(({ path }) => path.startsWith(`crews/${name}/`))
          .map(({ path }) => [path, textOf(made, path)]),
      );
      const crew = crewFromProject(folder, {
        tools: ["serper_dev", "file_read", "scrape_website", "Word count", "Shout"].map(stub),
        schemas: SCHEMAS,
        functions: FUNCTIONS,
        onWarning: () => undefined,
      });
      const demo = modelCatalog({ variables: {} });
      const services = { files: new InMemoryFileStore() };
      const run = crew.start({
        inputs: { topic: "tea" },
        services,
        models: () => demo("offline/demo"),
      });
      const { tasks } = await run.output();
      expect(tasks.map(({ name: task }) => task)).toEqual(
        ["find", "write"].map((task) =>
          expect.stringMatching(task === "find" ? /find|begin/ : /write|last/),
        ),
      );
    });

    it("lists what is left by hand (CL25)", () => {
      const places = made.report.files.flatMap(({ open }) => open);
      const lineOf = (file: string, line: number): string =>
        project.files[file]?.split(/\r?\n/)[line - 1] ?? "";
      expect(places.map(({ file, line, why }) => [file, lineOf(file, line), why])).toEqual(
        project.byHand.map(([file, part, why]) => [
          file,
          expect.stringContaining(part),
          expect.stringMatching(why),
        ]),
      );
      expect(made.report.crews).toEqual(project.crews);
    });
  },
);
