// No report says "0 open places" of a project that does not build.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { definitionFaults } from "../../../../src/build/definition-faults.ts";
import { readDefinitionFiles } from "../../../../src/build/definition-files.ts";
import { codeFaults } from "../../../../src/cli/import/code-faults.ts";
import type { Import } from "../../../../src/cli/import/import-project.ts";
import { reportText } from "../../../../src/cli/import/import-report.ts";
import { PYTHON_PROJECT_FORMS } from "../../../support/python-project-forms.ts";
import { imported, PYTHON_PROJECTS, textOf } from "../../../support/python-projects.ts";
import { UNBUILDABLE_PROJECTS } from "../../../support/unbuildable-projects.ts";

const folder = mkdtempSync(join(tmpdir(), "edgecrew-import-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Faults of the definitions of an import, as `edgecrew build` finds them on the disk. */
function faultsOf({ files }: Import): readonly string[] {
  const project = mkdtempSync(join(folder, "project-"));
  for (const { path, content } of files) {
    mkdirSync(dirname(join(project, path)), { recursive: true });
    writeFileSync(join(project, path), content);
  }
  return definitionFaults(readDefinitionFiles(project)).map(({ message }) => message);
}

const ALL = [...PYTHON_PROJECTS, ...PYTHON_PROJECT_FORMS, ...UNBUILDABLE_PROJECTS];

it.each(ALL.map((project) => [project.name, project] as const))(
  "CKO2: writes definitions without build faults: %s",
  (_, { files }) => {
    expect(faultsOf(imported(files))).toEqual([]);
  },
);

describe.each(UNBUILDABLE_PROJECTS.map((project) => [project.name, project] as const))(
  "%s",
  (_, { files, open, left }) => {
    const made = imported(files);

    it("CKO2: is listed, and waits in by-hand until it builds", () => {
      const places = made.report.files.flatMap(({ open: each }) => each);
      for (const [file, why] of open)
        expect(places).toContainEqual(
          expect.objectContaining({ file, why: expect.stringMatching(why) }),
        );
      expect(made.report.open).toBeGreaterThan(0);
      expect(made.report.left).toEqual(left);
      for (const each of left)
        expect(made.files.some(({ path }) => path.startsWith(`by-hand/${each}`))).toBe(true);
      const text = reportText(made.report, ".");
      expect(text.includes("in `by-hand/`, until it builds")).toBe(left.length > 0);
    });
  },
);

it("registers schemas and functions under the Python paths in a JSON crew", () => {
  const made = imported(
    UNBUILDABLE_PROJECTS.find(({ name }) => name.endsWith("Python which is there"))?.files ?? {},
  );
  expect(textOf(made, "src/imported/schemas.ts")).toContain('export { Tea as "tea.models.Tea" };');
  expect(textOf(made, "src/imported/functions.ts")).toContain('"tea.hooks.note": (value');
});

it("CKO1: leaves fields that CrewAI ignores in the YAML, byte for byte, and lists them with their line", () => {
  const [{ files }] = UNBUILDABLE_PROJECTS as [(typeof UNBUILDABLE_PROJECTS)[0]];
  const made = imported(files);
  const [path = ""] = Object.keys(files).filter((each) => each.endsWith("agents.yaml"));
  expect(textOf(made, "crews/tea/agents.yaml")).toBe(files[path]);
  const places = made.report.files.find((file) => file.path === path)?.open ?? [];
  expect(places.map(({ line, why }) => [files[path]?.split("\n")[line - 1]?.trim(), why])).toEqual([
    ["system_message: |", "taster.system_message: is a field that CrewAI ignores: ignored"],
    ["tool:", "taster.tool: is a field that CrewAI ignores: ignored"],
  ]);
});

it("CKO3: finds code that cannot be parsed, and names declared twice", () => {
  expect(codeFaults("export const a = ;")).toEqual([
    expect.stringContaining("is not valid TypeScript"),
  ]);
  expect(codeFaults(`import { tool } from "edgecrew";\nexport const tool = 1;`)).toEqual([
    "declares `tool` twice: rename one",
  ]);
  expect(codeFaults("export class A {}\nconst b: number = 1;")).toEqual([]);
});
