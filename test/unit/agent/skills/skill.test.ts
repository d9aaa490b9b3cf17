import { describe, expect, it } from "vitest";
import { skill } from "../../../../src/agent/skills/skill.ts";

const text = (front: string, body = "Do it.") => `---\n${front}\n---\n${body}`;

describe("skill()", () => {
  it("reads front matter and body", () => {
    const read = skill(
      `\uFEFF---\r\nname: report\r\ndescription: >\r\n  Writes reports.\r\nlicense: MIT\r\ncompatibility: any\r\nmetadata:\r\n  version: 1.5\r\n  owner: ops\r\nallowed-tools: search  read\r\n---\r\n\r\n# How\r\n\r\n---\r\nmore\r\n`,
      { resources: { "references/a.md": "A" }, disclosureLevel: 3, folder: "sales" },
    );
    expect(read).toEqual({
      name: "report",
      description: "Writes reports.\n",
      instructions: "# How\r\n\r\n---\r\nmore",
      license: "MIT",
      compatibility: "any",
      metadata: { version: "1.5", owner: "ops" },
      allowedTools: ["search", "read"],
      resources: { "references/a.md": "A" },
      disclosureLevel: 3,
      folder: "sales",
    });
  });

  it("needs no body", () => {
    expect(skill("---\nname: a\ndescription: b\n---").instructions).toBe("");
  });

  it.each<[string, string]>([
    ["no front matter", "must begin with front matter between two lines of ---"],
    ["---\nname: x", "must begin with front matter"],
    [text("[1, 2]"), "front matter must be a mapping, got array"],
    [text("name: [x"), "front matter must be YAML"],
    [text("name: x\nname: y"), "front matter must be YAML: 3:1: duplicated mapping key"],
    [text("name: x\nmetadata: &m [*m]"), "the alias *m must follow the end of its anchor"],
    [text("description: d"), "name must be a text that is not empty, got undefined"],
    [
      text(`name: ${"x".repeat(65)}\ndescription: d`),
      "name must have at most 64 characters, got 65",
    ],
    ...["my--skill", "My-skill", "-a", "a-", "a_b", "a b", "ä"].map((name): [string, string] => [
      text(`name: ${JSON.stringify(name)}\ndescription: d`),
      `single hyphens between them, got "${name}"`,
    ]),
    [text("name: x"), 'skill "x": description must be a text'],
    [text(`name: x\ndescription: ${"d".repeat(1025)}`), "at most 1024 characters, got 1025"],
    [
      text(`name: x\ndescription: d\ncompatibility: ${"c".repeat(501)}`),
      "at most 500 characters, got 501",
    ],
    [text("name: x\ndescription: d\nlicense: 5"), 'skill "x": license must be a text'],
    [
      text("name: x\ndescription: d\nmetadata: m"),
      'skill "x": metadata must be an object of texts, got "m"',
    ],
    [
      text("name: x\ndescription: d\nallowed-tools: 7"),
      "allowedTools must be a list of names, got 7",
    ],
  ] as Array<[string, string]>)("refuses %j", (markdown, message) => {
    expect(() => skill(markdown)).toThrowError(message);
  });

  it("takes limits to the letter", () => {
    const front = `name: ${"x".repeat(64)}\ndescription: ${"d".repeat(1024)}\ncompatibility: ${"c".repeat(500)}`;
    expect(skill(text(front)).description).toHaveLength(1024);
  });
});
