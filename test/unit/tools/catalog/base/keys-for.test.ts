import { expect, it } from "vitest";
import { keysFor, secretsOf } from "../../../../../src/tools/catalog/base/keys-for.ts";
import type { CatalogVariable } from "../../../../../src/tools/catalog/base/entry.ts";

const description = "for the test";
const VALUES: Readonly<Record<string, string>> = {
  FIRST_KEY: "first-key",
  SECOND_KEY: "second-key",
  QUERY_KEY: "query-key",
  USER: "anna",
  PASSWORD: "a pass:word",
};
const valueOf = (name: string): string | undefined => VALUES[name];
const variables: readonly CatalogVariable[] = [
  { name: "FIRST_KEY", description, send: { header: "x-key" }, hosts: ["api.first.example"] },
  {
    name: "SECOND_KEY",
    description,
    send: { header: "authorization", prefix: "Bearer " },
    hosts: ["*.second.example"],
  },
  { name: "QUERY_KEY", description, send: { query: "key" }, hosts: ["third.example:8080"] },
  { name: "MISSING", description, send: { header: "x-missing" } },
];

it("sends the key of a host only to its host", () => {
  const keys = (url: string): object => keysFor(new URL(url), variables, valueOf);
  expect(keys("https://api.first.example/a")).toEqual({
    headers: { "x-key": "first-key" },
    query: {},
    name: "FIRST_KEY",
  });
  expect(keys("https://eu.second.example/a")).toMatchObject({
    headers: { authorization: "Bearer second-key" },
    name: "SECOND_KEY",
  });
  expect(keys("https://third.example:8080/a")).toMatchObject({ query: { key: "query-key" } });
  expect(keys("https://third.example/a")).toEqual({ headers: {}, query: {}, name: undefined });
});

it("makes basic authentication of a user and a password, and counts it among the secrets", () => {
  const basic: readonly CatalogVariable[] = [
    { name: "USER", description, isPlain: true },
    { name: "PASSWORD", description, send: { basicUser: "USER" } },
  ];
  const token = btoa("anna:a pass:word");
  expect(keysFor(new URL("https://a.example"), basic, valueOf)).toEqual({
    headers: { authorization: `Basic ${token}` },
    query: {},
    name: "PASSWORD",
  });
  expect(secretsOf(basic, valueOf)).toEqual(["a pass:word", token]);
});

it("names a secret the tool itself puts into its requests", () => {
  const own: readonly CatalogVariable[] = [{ name: "FIRST_KEY", description }];
  expect(keysFor(new URL("https://a.example"), own, valueOf)).toEqual({
    headers: {},
    query: {},
    name: "FIRST_KEY",
  });
});

it("treats the path of a secret address as a secret", () => {
  const url = "https://hooks.example/services/T0/token";
  const own: readonly CatalogVariable[] = [{ name: "URL", description }];
  expect(secretsOf(own, () => url)).toEqual([url, "/services/T0/token", "token"]);
});
