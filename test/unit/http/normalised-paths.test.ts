import { expect, it } from "vitest";
import { HttpWorld } from "../../support/http-app.ts";

it.each([
  "/compat/../kickoff",
  "/compat/%2e%2e/kickoff",
  "/compat/.%2E/kickoff",
  "/compat/greeting/../../kickoff",
  "/compat/./../kickoff",
  "//compat/greeting/kickoff",
  "/./nowhere",
  "/%63ompat2/x",
])("%s, which leads elsewhere, is a problem like every other path", async (path) => {
  for (const method of ["GET", "POST"]) {
    const { status, headers, json } = await new HttpWorld().ask(`http://localhost${path}`, {
      method,
    });
    expect([status, headers.get("content-type"), json["code"]]).toEqual([
      404,
      "application/problem+json",
      "not_found",
    ]);
  }
});
