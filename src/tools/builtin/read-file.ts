import { toBase64 } from "../../base/bytes.ts";
import * as z from "zod";
import { isJsonObject } from "../../base/json.ts";
import { EngineError } from "../../base/error.ts";
import { RunScope } from "../../events/run-scope.ts";
import { tool, type Tool } from "../tool.ts";

const TEXT_TYPE =
  /^(text\/|application\/(json|xml|yaml|x-yaml|toml|javascript|x-ndjson|sql)\b|[^;]*\+(json|xml)\b)/i;

/**
 * A tool that reads these files (paths by name) from the run's file store: text as it is, everything else as base64. Text is
 * not taken out of documents such as PDF.
 */
export function readFileTool(files: Readonly<Record<string, string>>): Tool {
  const names = Object.keys(files);
  return tool({
    name: "read_file",
    description: `Read one of these files: ${names.join(", ")}. Text is given as it is, everything else as base64.`,
    input: z.preprocess(named, z.object({ file_name: z.string().describe("The file's name") })),
    effect: "pure",
    cache: () => false,
    run: async ({ file_name: name }) => {
      const known = Object.hasOwn(files, name) ? files[name] : undefined;
      const path = known ?? names.map((each) => files[each]).find((each) => each === name);
      if (path === undefined)
        return `Error: there is no file named "${name}". Choose one of: ${names.join(", ")}`;
      const file = await RunScope.current()?.services.files?.get(path);
      if (file === undefined)
        throw new EngineError(
          "not_found",
          `nothing is stored at "${path}", where "${name}" should be`,
        );
      const text = TEXT_TYPE.test(file.mediaType) ? decoded(file.content) : undefined;
      return (
        text ??
        `${file.mediaType}, ${file.content.length} bytes, as base64:\n${toBase64(file.content)}`
      );
    },
  });
}

/** Undefined for bytes that are no UTF-8, whatever they were called. */
function decoded(content: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(content);
  } catch {
    return undefined;
  }
}

/** `name` stands for `file_name`: older conversations have it. */
function named(input: unknown): unknown {
  if (!isJsonObject(input) || !("name" in input) || "file_name" in input) return input;
  return { file_name: input["name"] };
}
