import { expect, it } from "vitest";
import { demoPace } from "../../../src/cli/demo-pace.ts";
import { projectFolder } from "../../support/project-folder.ts";

it("slows the offline model down while somebody watches", () => {
  expect(demoPace(projectFolder({}), [])).toEqual(["--var", "DEMO_DELAY_MS:1500"]);
});

it("leaves the pace to the options and to the project's own file", () => {
  expect(demoPace(projectFolder({}), ["--var", "DEMO_DELAY_MS:0"])).toEqual([]);
  expect(demoPace(projectFolder({ ".dev.vars": "DEMO_DELAY_MS=5" }), [])).toEqual([]);
});
