import { filePlace } from "./file-place.ts";
import {
  plainOptions,
  sourceSearch,
  type PlainOptions,
  type SourceSearch,
  type SourceTool,
} from "./source-search.ts";

/** A tool that searches one document. */
export type FileSearch<Argument extends string> = Pick<
  SourceSearch<Argument, PlainOptions>,
  "className" | "displayName" | "argument" | "question"
> & {
  /** What it is called by models: "a PDF file". */
  readonly what: string;
  /** The reader. */
  readonly type: string;
};

/** Makes a tool that searches documents of one kind, each in a collection of its own. */
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
