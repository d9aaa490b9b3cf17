// Projects of CrewAI as they are imported: each loads, and runs to its end.
import * as z from "zod";
import { describe, expect, it } from "vitest";
import { InMemoryFileStore } from "../../../../src/files/in-memory-file-store.ts";
import { modelCatalog } from "../../../../src/llm/model-catalog.ts";
import {
  crewFromProject,
  definitionFromProject,
} from "../../../../src/project/crew-from-project.ts";
import { tool } from "../../../../src/tools/tool.ts";
import { EXAMPLE_PROJECTS } from "../../../support/crewai-projects.ts";
import { PYTHON_PROJECT_FORMS } from "../../../support/python-project-forms.ts";
import { imported, PYTHON_PROJECTS, textOf } from "../../../support/python-projects.ts";

function stub(name: string) {
  return tool({ name, description: name, input: z.looseObject({}), run: () => "done" });
}

const FUNCTIONS = {
  note: () => undefined,
  prepare: (inputs: object) => ({ ...inputs, year: 2026 }),
};

const ALL = [...PYTHON_PROJECTS, ...PYTHON_PROJECT_FORMS];

it("are at least as many as CrewAI's examples have (CL25)", () => {
  expect(ALL.length).toBeGreaterThanOrEqual(20);
});

describe.each(ALL.map((project) => [project.name, project] as const))("%s", (_, project) => {
  const made = imported(project.files);

  it.each(project.crews.filter((name) => name !== "demo"))(
    "%s loads, and runs to its end with stub tools (CL25)",
    async (name) => {
      const folder = Object.fromEntries(
        made.files
          .filter(({ path }) => path.startsWith(`crews/${name}/`))
          .map(({ path }) => [path, textOf(made, path)]),
      );
      const crew = crewFromProject(folder, {
        tools: [
          "serper_dev",
          "file_read",
          "scrape_website",
          "Word count",
          "Shout",
          "Search the net",
          "style_check",
        ].map(stub),
        functions: FUNCTIONS,
        onWarning: () => undefined,
      });
      const demo = modelCatalog({ variables: {} });
      const services = { files: new InMemoryFileStore() };
      const run = crew.start({
        inputs: { topic: "tea", NAME: "notes" },
        services,
        models: () => demo("offline/demo"),
      });
      const { tasks } = await run.output();
      const written = JSON.parse(
        textOf(made, `crews/${name}/crew.jsonc`).replaceAll(/^\/\/.*$/gm, ""),
      ) as { tasks: { name: string }[] };
      expect(tasks.map(({ name: task }) => task)).toEqual(written.tasks.map((task) => task.name));
      expect(tasks.length).toBeGreaterThan(1);
      expect(tasks.every(({ raw }) => raw !== "")).toBe(true);
    },
  );

  it("lists the places left to do by hand (CL25)", () => {
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
});

describe("projects without code", () => {
  it.each(EXAMPLE_PROJECTS.map((project) => [project.name, project] as const))(
    "%s: is copied, and is the same crew (CL25)",
    (_, { files, additions }) => {
      const made = imported(files);
      // A crew that needs what its code adds waits in by-hand.
      const [name] = [...made.report.crews.map((each) => `crews/${each}`), ...made.report.left];
      const start = made.report.crews.length === 0 ? `by-hand/${name}/` : `${name}/`;
      const folder = Object.fromEntries(
        made.files
          .filter(({ path }) => path.startsWith(start))
          .map(({ path }) => [path, textOf(made, path)]),
      );
      expect(definitionFromProject(folder, { additions })).toEqual(
        definitionFromProject(files, { additions }),
      );
    },
  );
});
