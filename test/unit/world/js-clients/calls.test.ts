import { expect, it } from "vitest";
import {
  callsIn,
  isWhole,
  sortCalls,
  type Call,
  type KnownFailure,
} from "../../../world/js-clients/calls.ts";

const row: KnownFailure = {
  id: "long-ids",
  reason: "ids are long",
  issue: "front doors",
  concerns: ({ name }) => name === "ids",
  says: /^54 characters/,
};
const call = (name: string, said?: string): Call => ({
  client: "sdk",
  name,
  ok: said === undefined,
  ...(said !== undefined && { said }),
});

it("reads checks among other output, and recognises a program that ended early", () => {
  const line = '{"client":"sdk","name":"ids","ok":true,"ms":3}';
  const output = `Warning: old\n${line}\n{"other":1}\n`;
  expect(callsIn(output)).toMatchObject([{ client: "sdk", name: "ids", ok: true }]);
  expect(isWhole(output)).toBe(false);
  expect(isWhole(`${output}{"end":true}\n`)).toBe(true);
});

it("a failed check has a row, or is a failure", () => {
  const calls = [call("plain"), call("ids", "54 characters"), call("stream", "hangs")];
  expect(sortCalls(calls, [row])).toEqual({
    passed: 1,
    known: { "long-ids": 1 },
    failures: [{ id: "sdk: stream", message: "hangs" }],
  });
});

it("a check of a row with another failure is a failure", () => {
  const { known, failures } = sortCalls([call("ids", "hangs")], [row]);
  expect(known).toEqual({});
  expect(failures).toContainEqual({ id: "sdk: ids", message: "hangs" });
});

it("a row whose checks all pass is a failure; one without run checks is not", () => {
  expect(sortCalls([call("ids")], [row]).failures).toEqual([
    { id: "long-ids", message: "is mended: remove the row of known-failures.ts" },
  ]);
  expect(sortCalls([call("plain")], [row]).failures).toEqual([]);
});
