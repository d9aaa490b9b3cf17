import * as z from "zod";
import { describe, expect, it } from "vitest";
import { EngineError } from "../../../../src/base/error.ts";
import {
  crewFromDefinition,
  newCrewDefinition,
  readCrewDefinition,
} from "../../../../src/crew/definition/crew-definition.ts";

const report = {
  type: "object",
  properties: { llm: { type: "string" }, max_iter: { type: "integer" } },
  required: ["llm"],
};

function crew(schemas: unknown, task: object = {}): object {
  return {
    agents: { clerk: { role: "Clerk", goal: "g", backstory: "b" } },
    tasks: [{ description: "d", expected_output: "e", agent: "clerk", ...task }],
    schemas,
  };
}

function issuesOf(definition: object): readonly string[] {
  try {
    newCrewDefinition(definition, { fromData: true });
  } catch (error) {
    if (EngineError.is(error)) return (error.issues ?? []).map(({ path }) => path);
    throw error;
  }
  return [];
}

describe("the shapes of a definition", () => {
  it.each(["output", "output_json", "output_pydantic", "response_model"])(
    "are found by `%s`, with the names of their fields as they are",
    (field) => {
      const read = readCrewDefinition(crew({ Report: report }, { [field]: "app.types.Report" }));
      expect(read.schemas).toEqual({ Report: report });
      const { output, responseModel } = crewFromDefinition(read).tasks[0] ?? {};
      expect(output ?? responseModel).toEqual(report);
    },
  );

  it("DSH1: take precedence over registered ones", () => {
    const read = readCrewDefinition(crew({ Report: report }, { output: "Report" }));
    const registered = { schemas: { Report: z.string() } };
    expect(crewFromDefinition(read, registered).tasks[0]?.output).toEqual(report);
  });

  it("leaves registered shapes of other names in place", () => {
    const other = z.object({ a: z.string() });
    const read = readCrewDefinition(crew({ Report: report }, { output: "Other" }));
    expect(crewFromDefinition(read, { schemas: { Other: other } }).tasks[0]?.output).toBe(other);
  });

  it("DSH2: are refused at their place, all at once, whether a task names them or not", () => {
    const schemas = {
      "a/b": { type: "object", properties: { x: { type: "txt" } } },
      Loop: { $ref: "#" },
      Far: { $ref: "http://169.254.169.254/" },
    };
    expect(issuesOf(crew(schemas))).toEqual([
      "/schemas/a~1b/properties/x/type",
      "/schemas/Loop",
      "/schemas/Far/$ref",
    ]);
  });

  it("do not include names inherited by every object", () => {
    for (const name of ["toString", "constructor", "__proto__"])
      expect(issuesOf(crew({ Report: report }, { output: name }))).toEqual(["/tasks/0/output"]);
    const odd = JSON.parse('{"__proto__": {"type": "text"}}') as object;
    expect(issuesOf(crew({ constructor: report, toString: report }))).toEqual([]);
    expect(() => newCrewDefinition(crew(odd), {})).not.toThrow(TypeError);
    expect(Object.hasOwn(Object.prototype, "type")).toBe(false);
  });

  it.each([[[report]], ["Report"], [{ Report: "text" }], [{ "": report }]])(
    "are a mapping of names to schemas: %j is refused",
    (schemas) => {
      expect(issuesOf(crew(schemas))[0]).toMatch(/^\/schemas/);
    },
  );
});
