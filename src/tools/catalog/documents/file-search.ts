import { filePlace } from "./file-place.ts";
import {
  plainOptions,
  sourceSearch,
  type PlainOptions,
  type SourceSearch,
  type SourceTool,
} from "./source-search.ts";

/** Tool for searching one document. */
export type FileSearch<Argument extends string> = Pick<
  SourceSearch<Argument, PlainOptions>,
  "className" | "displayName" | "argument" | "question"
> & {
  /** Name in descriptions for models: "a PDF file". */
  readonly what: string;
  /** Name of the reader. */
  readonly type: string;
};

/** Creates a tool for searching documents of one kind, each in its own collection. */
export function fileSearch<const Argument extends string>({
  what,
  type,
  ...named
}: FileSearch<Argument>): SourceTool<Argument> {
  return sourceSearch({
    ...named,
    description: `Finds passages of ${what} that answer a question, each with the place where it stands.`,
    options: plainOptions,
    source: "The file: a path in the workspace, or a URL",
    place: (io, address) => filePlace(io, address, { type }),
  });
}
