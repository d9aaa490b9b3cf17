// The upstreams that are reflected on: the program that lists their names, and the rows.
import type { Rows } from "./rows.ts";

export type Upstream = {
  readonly name: string;
  /** Title of its table in the documentation. */
  readonly title: string;
  readonly package: string;
  /** Versions that are looked at, where the newest of all is another thing. */
  readonly below?: string;
  /** Packages whose source alone is read. */
  readonly sources?: readonly string[];
  readonly script: URL;
  readonly rows: () => Promise<Rows>;
};

export const UPSTREAMS: readonly Upstream[] = [
  {
    name: "crewai",
    title: "CrewAI",
    package: "crewai",
    sources: ["crewai-tools"],
    script: new URL("list_crewai.py", import.meta.url),
    rows: async () => (await import("./crewai-rows.ts")).CREWAI_ROWS,
  },
  {
    name: "autogen",
    title: "AG2 up to 0.14",
    package: "ag2",
    below: "1",
    script: new URL("list_ag2.py", import.meta.url),
    rows: async () => (await import("./autogen-rows.ts")).AUTOGEN_ROWS,
  },
  {
    name: "ag2",
    title: "AG2 from 1.0 on",
    package: "ag2",
    script: new URL("list_ag2.py", import.meta.url),
    rows: async () => (await import("./ag2-rows.ts")).AG2_ROWS,
  },
];
