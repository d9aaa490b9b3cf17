import type { MiddlewareHandler } from "hono";
import type * as z from "zod";
import { toIssues } from "../base/zod-issues.ts";
import { invalidInput } from "./problem.ts";
import type { HttpEnv } from "./services.ts";

/** Checks the query; handlers read it with `c.req.valid("query")`. A parameter that is given twice is refused. */
export function query<Schema extends z.ZodType<object>>(
  schema: Schema,
): MiddlewareHandler<
  HttpEnv,
  string,
  { in: { query: QueryInput<z.output<Schema>> }; out: { query: z.output<Schema> } }
> {
  return async (c, next) => {
    const given = Object.fromEntries(
      Object.entries(c.req.queries()).map(([name, values]) => [
        name,
        values.length === 1 ? values[0] : values,
      ]),
    );
    const parsed = schema.safeParse(given);
    if (!parsed.success)
      throw invalidInput("the query does not fit", toIssues(parsed.error, given));
    c.req.addValidatedData("query", parsed.data);
    await next();
  };
}

/** What a client writes into the query: texts. */
type QueryInput<Output> = { [Name in keyof Output]?: string };
