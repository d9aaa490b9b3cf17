import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { wrongUse } from "../cli-failure.ts";
import { command } from "../command.ts";
import { nearestOf } from "../../base/nearest.ts";
import { packageFolder } from "../package-folder.ts";

/** `edgecrew docs`: the pages of the package, offline. */
export const docs = command({
  name: "docs",
  about: "list the pages of the documentation, or print one",
  args: "[topic]",
  example: "edgecrew docs memory",
  options: {},
  run: async ({ out }, { args: [topic] }) => {
    const folder = join(packageFolder(), "docs");
    const topics = readdirSync(folder)
      .filter((name) => name.endsWith(".md") && name !== "README.md")
      .map((name) => name.slice(0, -".md".length))
      .toSorted();
    if (topic === undefined) {
      const rows = topics.map((name) => ({
        topic: name,
        title: titleOf(join(folder, `${name}.md`)),
      }));
      return out.table({ rows, value: { items: rows }, none: "There are no pages." }, [
        { title: "TOPIC", of: (row) => row.topic },
        { title: "TITLE", of: ({ title }) => title },
      ]);
    }
    const name = topic.toLowerCase().replace(/\.md$/, "");
    if (!topics.includes(name)) {
      const near = nearestOf(name, topics) ?? topics.find((each) => each.includes(name));
      throw wrongUse(
        `there is no page ${JSON.stringify(topic)}`,
        near === undefined ? "edgecrew docs" : `edgecrew docs ${near}`,
      );
    }
    const text = readFileSync(join(folder, `${name}.md`), "utf8");
    out.result({ topic: name, markdown: text }, () => text.trimEnd());
  },
});

const titleOf = (path: string): string => /^# (.+)$/m.exec(readFileSync(path, "utf8"))?.[1] ?? "";
