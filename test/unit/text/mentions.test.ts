import { describe, expect, it } from "vitest";
import { countMentions, mentionsIn } from "../../../src/text/index.ts";

describe("mentions", () => {
  it.each([
    ["由Alice负责这件事", "Alice", 1],
    ["我认为小明应该发言，小明最了解。", "小明", 2],
    ["次は田中さんです", "田中", 1],
    ["ให้สมชายพูดต่อ", "สมชาย", 1],
    ["다음은 민수가 말합니다", "민수", 1],
    ["가격표를 보세요", "가격", 0],
    ["영민수 씨", "민수", 0],
    ["Ａｌｉｃｅ speaks", "alice", 1],
    ["Cafe\u0301 wins", "CAFÉ", 1],
    ["Malice speaks", "alice", 0],
    ["Alice2 speaks", "Alice", 0],
    ["The straße is next", "STRASSE", 1],
    ["a.b+c(d)-e/f", "b+c(d)", 1],
    ["रामायण", "राम", 0],
    ["राम बोले", "राम", 1],
    ["x", "", 0],
  ])("TXN1: of %s count %s as %i", (text, name, count) => {
    expect(countMentions(text, name)).toBe(count);
  });

  it("may be exact", () => {
    expect(countMentions("alice and Alice", "Alice", { exact: true })).toBe(1);
    expect(countMentions("李と李さん", "李", { exact: true })).toBe(2);
  });

  it("TXN2: leave out names inside longer ones, in the order of names", () => {
    const labels = ["批准", "不批准", "need more", "more"];
    expect(mentionsIn("我选择：不批准。", labels).names).toEqual(["不批准"]);
    expect(mentionsIn("批准", labels).names).toEqual(["批准"]);
    expect(mentionsIn("NEED MORE", labels).names).toEqual(["need more"]);
    expect(mentionsIn("more, 批准", labels).names).toEqual(["批准", "more"]);
    expect(mentionsIn("nothing", labels).names).toEqual([]);
  });
});
