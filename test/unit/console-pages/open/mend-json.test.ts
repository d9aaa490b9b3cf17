import { expect, it } from "vitest";
import { mendJson } from "../../../../console/pages/open/mend-json.ts";

const mended = (text: string): unknown => {
  const good = mendJson(text);
  return good === undefined ? undefined : JSON.parse(good);
};

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

it("reads the whole values of a truncated text (CO29)", () => {
  const whole = {
    format: "x/1",
    run: { id: "a", n: [1, -2.5e3, true, null] },
    steps: [{ k: 'q"\\u' }],
  };
  const text = JSON.stringify(whole);
  for (let end = 1; end <= text.length; end++) {
    const good = mendJson(text.slice(0, end));
    expect([end, isJson(good ?? "")]).toEqual([end, true]);
  }
  expect(mended(text)).toEqual(whole);
  expect(mended(text.slice(0, -3))).toEqual({ ...whole, steps: [{ k: 'q"\\u' }] });
  expect(mended(text.slice(0, text.indexOf(",true")))).toEqual({
    format: "x/1",
    run: { id: "a", n: [1, -2500] },
  });
});

it("leaves out a field without its value (CO29)", () => {
  expect(mended('{"a":1,"b"')).toEqual({ a: 1 });
  expect(mended('{"a":1,"b":')).toEqual({ a: 1 });
  expect(mended('{"a":1,"b":"half')).toEqual({ a: 1 });
  expect(mended('{"a":[1,2,')).toEqual({ a: [1, 2] });
});

it("stops before a broken place in the middle (CO29)", () => {
  expect(mended('{"a":1,"b":oops,"c":2}')).toEqual({ a: 1 });
  expect(mended('{"a":1}}}')).toEqual({ a: 1 });
});

it("returns undefined for other texts than JSON (CO29)", () => {
  expect(mendJson("")).toBeUndefined();
  expect(mendJson("PK\u0003\u0004")).toBeUndefined();
  expect(mendJson("hello")).toBeUndefined();
});
