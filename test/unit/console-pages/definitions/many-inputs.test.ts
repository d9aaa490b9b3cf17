import { expect, it } from "vitest";
import { MOST_ITEMS, readManyInputs } from "../../../../console/pages/definitions/many-inputs.ts";
import { sortFaults } from "../../../../console/pages/definitions/kickoff-form.ts";

const SCHEMA = {
  type: "object",
  properties: { city: { type: "string" }, people: { type: "integer" }, note: {} },
};

it("reads a table with quoted cells, and numbers as in the schema (CO19)", () => {
  const text = 'city,people,note\r\n"Oslo, ""north""",2,007\n\nRome,,"two\nlines"\n';
  expect(readManyInputs(text, SCHEMA)).toEqual({
    items: [
      { city: 'Oslo, "north"', people: 2, note: "007" },
      { city: "Rome", note: "two\nlines" },
    ],
    faults: [],
  });
});

it("names the line of a row with a missing cell (CO19)", () => {
  const { faults } = readManyInputs('city,people\n"a\nb",1\nRome\n', SCHEMA);
  expect(faults).toEqual([{ line: 4, message: "2 cells expected, these are 1" }]);
});

it("reads one object a line, and a list of objects (CO19)", () => {
  expect(readManyInputs('{"city":"Oslo"}\n\n{"city":"Rome"}', SCHEMA).items).toHaveLength(2);
  expect(readManyInputs('[{"city":"Oslo"}]', SCHEMA).items).toEqual([{ city: "Oslo" }]);
  expect(readManyInputs('{"city":"Oslo"}\n{"city"', SCHEMA).faults[0]?.line).toBe(2);
  expect(readManyInputs("[1]", SCHEMA).faults[0]?.message).toBe("Entry 1 is no object");
});

it("refuses more runs than the limit of a batch (CO19)", () => {
  const text = `city\n${"Oslo\n".repeat(MOST_ITEMS + 1)}`;
  expect(readManyInputs(text, SCHEMA).faults).toHaveLength(1);
  expect(readManyInputs("", SCHEMA)).toEqual({ items: [], faults: [] });
});

it("sorts the server's faults by their form (CO19)", () => {
  const issues = ["/inputs/city", "/tags/0", "/llm", "/inputs"].map((path) => ({
    path,
    message: "no",
  }));
  const { inputs, options } = sortFaults("crew", issues);
  expect(inputs.map(({ path }) => path)).toEqual(["/city", ""]);
  expect(options.map(({ path }) => path)).toEqual(["/tags/0", "/llm"]);
});
