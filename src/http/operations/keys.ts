import { pageQuery } from "../schemas.ts";
import type { Operation } from "./operation.ts";

export const keyOperations: readonly Operation[] = [
  {
    id: "createKey",
    method: "post",
    path: "/keys",
    group: "Keys",
    scope: "admin",
    summary: "Make an API key",
    description:
      "The key is shown this once. Keys are managed with an admin key of tenant `default`.",
    body: { name: "CreateKey", required: true },
    answers: { 201: { description: "The new key", shape: "CreatedKey" } },
    problems: [400, 413, 415],
    example: { tenant: "acme", scopes: ["run", "read"], name: "web frontend" },
  },
  {
    id: "listKeys",
    method: "get",
    path: "/keys",
    group: "Keys",
    scope: "admin",
    summary: "List API keys",
    query: pageQuery,
    answers: {
      200: { description: "A page of keys, without their secrets", shape: "Key", list: true },
    },
    problems: [400],
  },
  {
    id: "deleteKey",
    method: "delete",
    path: "/keys/{id}",
    group: "Keys",
    scope: "admin",
    summary: "Delete an API key",
    description: "It is refused from the next request on.",
    answers: { 204: { description: "Deleted" } },
    problems: [404],
  },
];
