import * as z from "zod";
import type { CatalogVariable } from "../base/entry.ts";

const host = z
  .string()
  .refine(
    (text) => /^(\*\.)?[^\s*/?#@:]+(:\d+)?$/.test(text),
    "expected a host, such as example.com or *.example.com",
  );

/** Options of every tool that reads pages. */
export const PAGE_OPTIONS = {
  /** The only hosts that are asked. */
  allowHosts: z.array(host).min(1).optional(),
  denyHosts: z.array(host).optional(),
  /** Whether the site's robots.txt is obeyed. */
  robots: z.boolean().default(false),
  /** A cookie that is sent along: its name, and the name of the variable that holds its value. */
  cookies: z
    .object({ name: z.string().regex(/^[^\s;=,]+$/), value: z.string().regex(/^[A-Za-z_]\w*$/) })
    .optional(),
};

export type PageOptions = z.output<z.ZodObject<typeof PAGE_OPTIONS>>;

/** The variable that a tool reads for its option `cookies`. */
export function cookieVariables({
  cookies,
}: Readonly<Record<string, unknown>>): readonly CatalogVariable[] {
  const read = PAGE_OPTIONS.cookies.safeParse(cookies);
  const name = read.data?.value;
  return name === undefined ? [] : [{ name, description: "the value of a cookie for pages" }];
}
