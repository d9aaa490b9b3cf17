import { describe, expect, it } from "vitest";
import { skillsOf, tagOf } from "../../../src/parts/subject-info.ts";

describe("public descriptions of subjects", () => {
  it.each([
    ["Senior Data-Analyst", "senior_data_analyst"],
    ["Café Müller", "café_müller"],
    ["कीमत खोजें", "कीमत_खोजें"],
    ["คืนสินค้า", "คืนสินค้า"],
    ["ﾃﾞｰﾀ　ＡＩ", "データ_ai"],
    ["???", "skill"],
  ])("name the skill %s by the id %s", (name, id) => {
    const skill = { name, description: "", tags: [] };
    expect(skillsOf([skill, skill]).map((each) => each.id)).toEqual([id, `${id}_2`]);
  });

  it("make tags of names", () => {
    expect(tagOf("Data Analyst")).toBe("data-analyst");
    expect(tagOf("कीमत खोजें")).toBe("कीमत-खोजें");
    expect(tagOf("!")).toBe("general");
  });
});
