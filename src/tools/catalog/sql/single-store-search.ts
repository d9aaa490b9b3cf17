import * as z from "zod";
import { catalogTool } from "../base/catalog-tool.ts";
import { serviceFailure } from "../base/service-failure.ts";
import { connectionOf } from "./connection.ts";
import { runStatement } from "./run-statement.ts";
import { readStatement } from "./sql-guard.ts";

/** Reads rows from SingleStore. */
export const singleStoreSearch = catalogTool({
  className: "SingleStoreSearchTool",
  displayName: "Search a database's table(s) content",
  group: "databases",
  service: "SingleStore",
  effectClass: "R",
  description: ({ tables }: { readonly tables?: readonly string[] | undefined }) =>
    `Runs one SELECT or SHOW statement in SingleStore and returns its rows as a table.${tables === undefined ? "" : ` Tables: ${tables.join(", ")}.`}`,
  input: () =>
    z.object({
      search_query: z.string().min(1).max(100_000).describe("One SELECT or SHOW statement"),
    }),
  options: () =>
    z.object({
      tables: z.array(z.string()).min(1).optional(),
      port: z.union([z.int(), z.string()]).optional(),
    }),
  env: [
    {
      name: "SINGLESTOREDB_URL",
      description: "the address of the database, such as user:password@host:3306/name",
      required: false,
      option: "url",
    },
    {
      name: "SINGLESTOREDB_HOST",
      description: "its host, where there is no address",
      required: false,
      option: "host",
      isPlain: true,
    },
    {
      name: "SINGLESTOREDB_PORT",
      description: "its port",
      required: false,
      isPlain: true,
    },
    {
      name: "SINGLESTOREDB_USER",
      description: "who signs in",
      required: false,
      option: "user",
      isPlain: true,
    },
    {
      name: "SINGLESTOREDB_PASSWORD",
      description: "the password",
      required: false,
      option: "password",
    },
    {
      name: "SINGLESTOREDB_DATABASE",
      description: "the name of the database",
      required: false,
      option: "database",
      isPlain: true,
    },
  ],
  hostOptions: ["url", "host"],
  maxChars: 17_000,
  run: async ({ search_query: sql }, { port }, io) => {
    const statement = readStatement(sql, "mysql");
    if (statement.first !== "select" && statement.first !== "show")
      throw serviceFailure({ code: "refused", message: "This tool runs SELECT and SHOW alone." });
    const part = (name: string): string | undefined =>
      name === "PORT" && port !== undefined ? String(port) : io.value(`SINGLESTOREDB_${name}`);
    return runStatement(io, connectionOf(addressOf(part), "SINGLESTOREDB_URL"), statement);
  },
});

function addressOf(part: (name: string) => string | undefined): string {
  const url = part("URL");
  if (url !== undefined) return url.includes("://") ? url : `singlestoredb://${url}`;
  const [user = "", password = "", host = "", port = "3306", database = ""] = [
    part("USER"),
    part("PASSWORD"),
    part("HOST"),
    part("PORT"),
    part("DATABASE"),
  ];
  if (host === "")
    throw serviceFailure({
      code: "bad_request",
      message: "SingleStoreSearchTool needs SINGLESTOREDB_URL, or SINGLESTOREDB_HOST and its kin.",
    });
  const [name, secret, base] = [user, password, database].map(encodeURIComponent);
  return `singlestoredb://${name}:${secret}@${host}:${port}/${base}`;
}
