import * as z from "zod";
import { httpTool } from "../base/catalog-tool.ts";
import { blocksResult, serplyUrl, SERPLY_SEARCH } from "./serply-tool.ts";
import { listAnswer } from "../base/results.ts";

const text = () => z.string().nullish();

/** Jobs in the United States, through Serply. */
export const serplyJobSearch = httpTool({
  ...SERPLY_SEARCH,
  className: "SerplyJobSearchTool",
  displayName: "Job Search",
  description: "Finds jobs in the United States: positions, employers, places, links.",
  options: () => z.object({ proxyLocation: z.literal("US").default("US") }),
  request: ({ search_query: q }, { proxyLocation: location }) => ({
    url: serplyUrl("job/search", { q }),
    headers: { "X-Proxy-Location": location },
  }),
  answer: () =>
    listAnswer("jobs", {
      position: z.string().optional(),
      employer: text(),
      location: text(),
      link: text(),
      highlights: z.array(z.string()).nullish(),
      is_remote: z.boolean().nullish(),
      is_hybrid: z.boolean().nullish(),
    }),
  result: (answer) =>
    blocksResult(
      answer.jobs.map((job) => ({
        Position: job.position,
        Employer: job.employer ?? undefined,
        Location: job.location ?? undefined,
        Link: job.link ?? undefined,
        Highest: job.highlights?.join(", "),
        "Is Remote": yesNo(job.is_remote),
        "Is Hybrid": yesNo(job.is_hybrid),
      })),
      { data: answer as never, title: "Position" },
    ),
});

function yesNo(value: boolean | null | undefined): string | undefined {
  return value === undefined || value === null ? undefined : value ? "yes" : "no";
}
