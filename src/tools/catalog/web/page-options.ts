import * as z from "zod";
import type { CatalogVariable } from "../base/entry.ts";

const host = z
  .string()
  .refine(
    (text) => /^(\*\.)?[^\s*/?#@:]+(:\d+)?$/.test(text),
    "expected a host, such as example.com or *.example.com",
  );

/** Options of every page-reading tool. */
export const PAGE_OPTIONS = {
  /** The only allowed hosts. */
  allowHosts: z.array(host).min(1).optional(),
  denyHosts: z.array(host).optional(),
  /** Obeys the site's robots.txt. */
  robots: z.boolean().default(false),
  /** Cookie to send: its name, and the name of the variable with its value. */
  cookies: z
    .object({ name: z.string().regex(/^[^\s;=,]+$/), value: z.string().regex(/^[A-Za-z_]\w*$/) })
    .optional(),
};

/** Arguments that select elements of a page. */
export const elementsInput = () =>
  z.object({
    website_url: z.string().min(1).max(4096).describe("Address of the page"),
    css_element: z.string().min(1).max(1000).describe("CSS selector, such as div.price"),
  });

export type PageOptions = z.output<z.ZodObject<typeof PAGE_OPTIONS>>;

/** Returns the variable for the option `cookies`. */
export function cookieVariables({
  cookies,
}: Readonly<Record<string, unknown>>): readonly CatalogVariable[] {
  const read = PAGE_OPTIONS.cookies.safeParse(cookies);
  const name = read.data?.value;
  return name === undefined ? [] : [{ name, description: "the value of a cookie for pages" }];
}
