import { resolve } from "node:path";
import type { EdgecrewClient } from "../../client/index.ts";
import { wrongUse } from "../cli-failure.ts";
import { command } from "../command.ts";
import { findRun } from "../find-run.ts";
import { subjectOf } from "../startable.ts";
import { writeWhole } from "../write-whole.ts";

const FORMATS = { html: "html", svg: "svg", md: "mermaid", mmd: "mermaid", json: "json" } as const;
type Format = (typeof FORMATS)[keyof typeof FORMATS];

/** `edgecrew plot`: a picture of a flow, of a run of it, or of a conversation. */
export const plot = command({
  name: "plot",
  serves: true,
  about: "draw a flow, a run of it, or a conversation; as Mermaid text unless -o names a file",
  args: "[name]",
  example: "edgecrew plot triage -o triage.svg",
  options: {
    run: { about: "a run of a flow, with the state of each method", value: "id" },
    output: {
      about: "file; its extension sets the format (html, svg, md, json)",
      value: "file",
      short: "o",
    },
  },
  run: async (context, { args: [named], options: { run, output } }) => {
    const { out, cwd } = context;
    const format = output === undefined ? (out.isJson ? "json" : "mermaid") : formatOf(output);
    const client = await context.client();
    const picture =
      run !== undefined
        ? await client.runs.handle(await findRun(client, run)).plot(format)
        : await drawn(
            client,
            await subjectOf(context, client, {
              named,
              kinds: ["flow", "conversation"],
              verb: "plot",
            }),
            format,
          );
    if (output === undefined) return out.stdout.write(`${picture.trimEnd()}\n`);
    const path = resolve(cwd, output);
    const text = /\.md$/i.test(output) ? `\`\`\`mermaid\n${picture.trimEnd()}\n\`\`\`\n` : picture;
    writeWhole(path, text);
    out.result({ path }, () => path);
  },
});

function formatOf(file: string): Format {
  const ending = /\.(\w+)$/.exec(file)?.[1]?.toLowerCase() ?? "";
  if (Object.hasOwn(FORMATS, ending)) return FORMATS[ending as keyof typeof FORMATS];
  throw wrongUse(`-o: expected a file that ends in .html, .svg, .md or .json, got ${file}`);
}

async function drawn(
  { flows, conversations }: EdgecrewClient,
  { kind, name }: { readonly kind: string; readonly name: string },
  format: Format,
): Promise<string> {
  if (kind === "flow") return flows.plot(name, format);
  if (format === "html")
    throw wrongUse("a conversation has no page of its own", `edgecrew plot ${name} -o ${name}.svg`);
  return conversations.picture(name, format);
}
